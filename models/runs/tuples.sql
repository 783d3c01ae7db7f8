select
    landed.run_id,
    landed.question_id,
    landed.sample,
    landed.ordinal,
    landed.entity,
    landed.attribute,
    landed.value,
    landed.matched
from {{ ref('stg_llm__tuples') }} as landed
inner join {{ ref('runs') }} as run on landed.run_id = run.run_id
order by landed.run_id, landed.question_id, landed.sample, landed.ordinal
