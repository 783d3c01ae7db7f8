select
    evaluation_id,
    experiment_id,
    model,
    setting,
    prompt,
    direction,
    kinds.slice_kind,
    {{ slice_of_triple() }} as slice,
    count(*) as n,
    count(*) filter (where verdict = 'entailment') as n_entailment,
    count(*) filter (where verdict = 'contradiction') as n_contradiction,
    count(*) filter (where verdict = 'neutral') as n_neutral,
    count(*) filter (where verdict = 'error') as n_error,
    count(*) filter (where method = 'exact') as n_exact,
    count(*) filter (where method = 'embedding') as n_embedding,
    count(*) filter (where method = 'judge' and verdict <> 'error') as n_judged,
    count(*) filter (where method = 'judge' and verdict = 'entailment') as n_judged_entailment,
    count(distinct entity_id) as n_entities
from {{ ref('judged_triples') }}
cross join (values ({{ triple_slices() | join('), (') }})) as kinds (slice_kind)
group by evaluation_id, experiment_id, model, setting, prompt, direction, kinds.slice_kind, slice
having slice is not null
order by evaluation_id, direction, kinds.slice_kind, slice
