select
    experiment_id,
    model,
    setting,
    prompt,
    entity_id,
    title,
    outcome,
    answer_text,
    error
from {{ ref('elicitations') }}
where outcome in ('empty')
order by experiment_id, entity_id
