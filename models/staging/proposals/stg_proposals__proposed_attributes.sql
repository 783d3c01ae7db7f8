select
    cast(proposal_id as varchar) as proposal_id,
    cast(attribute as varchar) as attribute,
    cast(position as bigint) as position,
    cast(path as varchar) as path,
    cast(label as varchar) as label,
    cast(kind as varchar) as kind,
    cast(unit as varchar) as unit,
    cast(is_required as boolean) as is_required,
    cast(n_checked as bigint) as n_checked,
    cast(n_known as bigint) as n_known,
    cast(n_values as bigint) as n_values,
    cast(coverage as double) as coverage
from {{ source('landed_proposals', 'proposed_attributes') }}
