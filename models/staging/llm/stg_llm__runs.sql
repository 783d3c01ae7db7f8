select
    cast(run_id as varchar) as run_id,
    cast(model as varchar) as model,
    cast(base_model as varchar) as base_model,
    cast(model_id as varchar) as model_id,
    cast(setting as varchar) as setting,
    cast(family as varchar) as family,
    cast(split as varchar) as split,
    cast(question_set as json) as question_set,
    cast(n_questions as bigint) as n_questions,
    cast(samples as bigint) as samples,
    cast(temperature as double) as temperature,
    cast(seed as bigint) as seed,
    cast(snapshot_id as varchar) as snapshot_id,
    cast(prompt_sha as varchar) as prompt_sha,
    cast(started_at as timestamp) as started_at,
    cast(documents as varchar) as documents
from {{ source('landed_llm', 'runs') }}
