select
    landed.run_id,
    landed.question_id,
    landed.sample,
    landed.outcome,
    landed.truncated,
    landed.n_gold,
    landed.n_predicted,
    landed.n_matched,
    landed.prompt_tokens,
    landed.completion_tokens,
    landed.cost_usd,
    landed.request_hash
from {{ ref('stg_llm__tables') }} as landed
inner join {{ ref('runs') }} as run on landed.run_id = run.run_id
order by landed.run_id, landed.question_id, landed.sample
