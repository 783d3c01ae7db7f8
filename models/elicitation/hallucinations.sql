{%- set answered = "count(*) filter (where outcome <> 'failed')" %}
{# Nothing that was said of what there is not can be true. An answer that did not come says nothing either way. #}
with counted as (
    select
        elicited.experiment_id,
        elicited.model,
        elicited.setting,
        elicited.prompt,
        elicited.entity_id,
        elicited.outcome,
        count(triple.triple_id) filter (where not triple.is_duplicate) as n_triples
    from {{ ref('elicitations') }} as elicited
    inner join {{ ref('experiments') }} as experiment on elicited.experiment_id = experiment.experiment_id
    left join {{ ref('triples') }} as triple
        on elicited.experiment_id = triple.experiment_id and elicited.entity_id = triple.entity_id
    where experiment.set_name = 'non_existing'
    group by elicited.experiment_id, elicited.model, elicited.setting, elicited.prompt, elicited.entity_id, elicited.outcome
)

select
    experiment_id,
    model,
    setting,
    prompt,
    count(*) filter (where outcome <> 'failed') as n_entities,
    count(*) filter (where outcome = 'failed') as n_failed,
    count(*) filter (where n_triples > 0) as n_with_triples,
    {{ round_significant(share_of('count(*) filter (where n_triples > 0)', answered), 12) }} as hallucination_rate,
    {{ wilson('count(*) filter (where n_triples > 0)', answered, '-') }} as rate_low,
    {{ wilson('count(*) filter (where n_triples > 0)', answered, '+') }} as rate_high,
    cast(sum(n_triples) as bigint) as n_triples,
    {{ round_significant("avg(n_triples) filter (where outcome <> 'failed')", 12) }} as triples_per_entity
from counted
group by experiment_id, model, setting, prompt
order by experiment_id
