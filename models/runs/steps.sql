select
    landed.run_id,
    landed.question_id,
    landed.sample,
    landed.number,
    landed.kind,
    landed.thought,
    landed.tool,
    landed.arguments,
    landed.observation,
    landed.prompt_tokens,
    landed.completion_tokens,
    landed.cost_usd,
    landed.latency_s,
    landed.request_hash
from {{ ref('stg_llm__steps') }} as landed
inner join {{ ref('runs') }} as run on landed.run_id = run.run_id
order by landed.run_id, landed.question_id, landed.sample, landed.number
