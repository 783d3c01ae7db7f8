select
    cast(run_id as varchar) as run_id,
    cast(question_id as varchar) as question_id,
    cast(sample as bigint) as sample,
    cast(outcome as varchar) as outcome,
    cast(truncated as boolean) as truncated,
    cast(n_gold as bigint) as n_gold,
    cast(n_predicted as bigint) as n_predicted,
    cast(n_matched as bigint) as n_matched,
    cast(prompt_tokens as bigint) as prompt_tokens,
    cast(completion_tokens as bigint) as completion_tokens,
    cast(cost_usd as double) as cost_usd,
    cast(request_hash as varchar) as request_hash
from {{ source('landed_llm', 'tables') }}
