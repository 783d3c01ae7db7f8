with snapshot as (select max(snapshot_id) as snapshot_id from {{ ref('questions') }}),

kept as (select distinct snapshot_id from {{ ref('question_history') }})

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
    landed.documents,
    coalesce(landed.snapshot_id = snapshot.snapshot_id, false) as is_current,
    -- a run that is older than the history is scored by the questions as they stand
    coalesce(kept.snapshot_id, snapshot.snapshot_id) as questions_snapshot_id
from {{ ref('stg_llm__runs') }} as landed
cross join snapshot
left join kept on landed.snapshot_id = kept.snapshot_id
order by landed.run_id
