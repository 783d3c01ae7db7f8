select
    proposal_id,
    attempt,
    role,
    surface,
    place,
    entity_id,
    label,
    description,
    matched,
    matched_by,
    datatype,
    classes,
    sitelinks,
    is_possible,
    why,
    is_chosen,
    chosen_by
from {{ ref('stg_proposals__proposed_candidates') }}
order by proposal_id, attempt, role, surface, place
