select
    cast(proposal_id as varchar) as proposal_id,
    cast(iteration as bigint) as iteration,
    cast(attempt as bigint) as attempt,
    cast(query as varchar) as query,
    cast(n_results as bigint) as n_results,
    cast(n_checked as bigint) as n_checked,
    cast(n_valid as bigint) as n_valid,
    cast(precision as double) as precision,
    cast(precision_low as double) as precision_low,
    cast(precision_high as double) as precision_high,
    cast(causes as varchar) as causes,
    cast(classes as varchar) as classes,
    cast(decision as varchar) as decision,
    cast(adjustment as varchar) as adjustment,
    cast(tried as varchar) as tried
from {{ source('landed_proposals', 'proposed_iterations') }}
