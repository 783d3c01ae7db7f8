select
    experiment_id,
    model,
    setting,
    prompt,
    entity_id,
    title,
    outcome,
    n_triples,
    completion_tokens,
    answer_text
from {{ ref('elicitations') }}
where truncated or outcome = 'cut'
order by experiment_id, entity_id
