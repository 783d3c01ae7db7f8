select
    experiment_id,
    model,
    base_model,
    model_id,
    setting,
    prompt,
    set_name,
    reasoning_effort,
    scale,
    origin,
    parameters,
    entities_sha,
    prompt_sha,
    snapshot_id,
    n_entities,
    seed,
    started_at
from {{ ref('stg_elicitation__experiments') }}
order by experiment_id
