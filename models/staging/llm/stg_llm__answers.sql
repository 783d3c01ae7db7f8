select
    cast(run_id as varchar) as run_id,
    cast(question_id as varchar) as question_id,
    cast(sample as bigint) as sample,
    cast(answer_text as varchar) as answer_text,
    cast(parsed as json) as parsed,
    cast(outcome as varchar) as outcome,
    cast(finish_reason as varchar) as finish_reason,
    cast(error as varchar) as error,
    cast(entities_needed as bigint) as entities_needed,
    cast(entities_in_context as bigint) as entities_in_context,
    cast(truncated as boolean) as truncated,
    cast(prompt_tokens as bigint) as prompt_tokens,
    cast(completion_tokens as bigint) as completion_tokens,
    cast(cost_usd as double) as cost_usd,
    cast(latency_s as double) as latency_s,
    cast(request_hash as varchar) as request_hash
from {{ source('landed_llm', 'answers') }}
