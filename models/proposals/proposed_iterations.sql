select
    proposal_id,
    iteration,
    attempt,
    query,
    n_results,
    n_checked,
    n_valid,
    precision,
    precision_low,
    precision_high,
    causes,
    classes,
    decision,
    adjustment,
    tried
from {{ ref('stg_proposals__proposed_iterations') }}
order by proposal_id, iteration
