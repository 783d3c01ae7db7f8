select
    answer.run_id,
    run.model,
    run.setting,
    answer.question_id,
    answer.sample,
    answer.answer_text,
    answer.parsed,
    answer.outcome,
    answer.finish_reason,
    answer.error,
    answer.entities_needed,
    answer.entities_in_context,
    answer.truncated,
    answer.prompt_tokens,
    answer.completion_tokens,
    answer.cost_usd,
    answer.latency_s,
    answer.request_hash
from {{ ref('stg_llm__answers') }} as answer
inner join {{ ref('runs') }} as run on answer.run_id = run.run_id
order by answer.run_id, answer.question_id, answer.sample
