select
    cast(run_id as varchar) as run_id,
    cast(question_id as varchar) as question_id,
    cast(sample as bigint) as sample,
    cast(correct as boolean) as correct,
    cast(scored as boolean) as scored,
    cast(scorer as varchar) as scorer,
    cast(yes_no_correct as boolean) as yes_no_correct,
    cast(chance as double) as chance,
    cast(detail as varchar) as detail,
    cast(entity_correct as boolean) as entity_correct
from {{ source('landed_llm', 'verdicts') }}
