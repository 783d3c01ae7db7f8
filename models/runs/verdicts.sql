select
    landed.run_id,
    landed.question_id,
    landed.sample,
    landed.correct,
    landed.scored,
    landed.scorer,
    landed.yes_no_correct,
    landed.chance,
    landed.detail,
    landed.entity_correct
from {{ ref('stg_llm__verdicts') }} as landed
inner join {{ ref('runs') }} as run on landed.run_id = run.run_id
order by landed.run_id, landed.question_id, landed.sample
