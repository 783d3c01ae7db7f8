select
    cast(evaluation_id as varchar) as evaluation_id,
    cast(experiment_id as varchar) as experiment_id,
    cast(direction as varchar) as direction,
    cast(triple_id as varchar) as triple_id,
    cast(entity_id as varchar) as entity_id,
    cast(verdict as varchar) as verdict,
    cast(method as varchar) as method,
    cast(matched_id as varchar) as matched_id,
    cast(passages as json) as passages,
    cast(error as varchar) as error,
    cast(request_hash as varchar) as request_hash,
    cast(prompt_tokens as bigint) as prompt_tokens,
    cast(completion_tokens as bigint) as completion_tokens,
    cast(cost_usd as double) as cost_usd
from {{ source('landed_elicitation', 'verdicts') }}
