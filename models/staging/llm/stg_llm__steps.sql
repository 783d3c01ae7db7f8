select
    cast(run_id as varchar) as run_id,
    cast(question_id as varchar) as question_id,
    cast(sample as bigint) as sample,
    cast(number as bigint) as number,
    cast(kind as varchar) as kind,
    cast(thought as varchar) as thought,
    cast(tool as varchar) as tool,
    cast(arguments as json) as arguments,
    cast(observation as varchar) as observation,
    cast(prompt_tokens as bigint) as prompt_tokens,
    cast(completion_tokens as bigint) as completion_tokens,
    cast(cost_usd as double) as cost_usd,
    cast(latency_s as double) as latency_s,
    cast(request_hash as varchar) as request_hash
from {{ source('landed_llm', 'steps') }}
