with snapshot as (select max(snapshot_id) as snapshot_id from {{ ref('questions') }})

select
    landed.run_id,
    landed.model,
    landed.base_model,
    landed.model_id,
    landed.setting,
    landed.family,
    landed.split,
    landed.question_set,
    landed.n_questions,
    landed.samples,
    landed.temperature,
    landed.seed,
    landed.snapshot_id,
    landed.prompt_sha,
    landed.started_at,
    coalesce(landed.snapshot_id = snapshot.snapshot_id, false) as is_current
from {{ ref('stg_llm__runs') }} as landed
cross join snapshot
order by landed.run_id
