select
    cast(experiment_id as varchar) as experiment_id,
    cast(entity_id as varchar) as entity_id,
    cast(title as varchar) as title,
    cast(outcome as varchar) as outcome,
    cast(answer_text as varchar) as answer_text,
    cast(finish_reason as varchar) as finish_reason,
    cast(error as varchar) as error,
    cast(truncated as boolean) as truncated,
    cast(expected as bigint) as expected,
    cast(n_triples as bigint) as n_triples,
    cast(n_calls as bigint) as n_calls,
    cast(prompt_tokens as bigint) as prompt_tokens,
    cast(completion_tokens as bigint) as completion_tokens,
    cast(cost_usd as double) as cost_usd,
    cast(latency_s as double) as latency_s,
    cast(request_hashes as json) as request_hashes
from {{ source('landed_elicitation', 'elicitations') }}
