select
    cast(evaluation_id as varchar) as evaluation_id,
    cast(experiment_id as varchar) as experiment_id,
    cast(judge as varchar) as judge,
    cast(judge_id as varchar) as judge_id,
    cast(embedder as varchar) as embedder,
    cast(prompt_sha as varchar) as prompt_sha,
    cast(reference_sha as varchar) as reference_sha,
    cast(sample_size as bigint) as sample_size,
    cast(seed as bigint) as seed,
    cast(n_passages as bigint) as n_passages,
    cast(threshold as double) as threshold,
    cast(evaluated_at as timestamp) as evaluated_at
from {{ source('landed_elicitation', 'evaluations') }}
