select
    proposal_id,
    attribute,
    position,
    path,
    label,
    kind,
    unit,
    is_required,
    n_checked,
    n_known,
    n_values,
    coverage
from {{ ref('stg_proposals__proposed_attributes') }}
order by proposal_id, position
