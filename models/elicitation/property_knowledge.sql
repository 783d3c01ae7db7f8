{# Of the entities asked about that have the property in the warehouse: of how many a model gives it, and of how many as recorded. #}
with recorded as (
    select distinct
        asked.experiment_id,
        asked.entity_id,
        warehouse.property_id,
        warehouse.predicate
    from {{ ref('elicitations') }} as asked
    inner join {{ ref('warehouse_triples') }} as warehouse on asked.entity_id = warehouse.entity_id
    where asked.outcome <> 'failed'
),

given as (
    select
        elicited.experiment_id,
        elicited.entity_id,
        coalesce(elicited.property_id, matched.property_id) as property_id,
        bool_or(matched.triple_id is not null) as is_as_recorded
    from {{ ref('triples') }} as elicited
    left join {{ ref('matches') }} as matched on elicited.triple_id = matched.triple_id
    where coalesce(elicited.property_id, matched.property_id) is not null
    group by elicited.experiment_id, elicited.entity_id, coalesce(elicited.property_id, matched.property_id)
)

select
    recorded.experiment_id,
    experiment.model,
    experiment.setting,
    experiment.prompt,
    recorded.property_id,
    min(recorded.predicate) as property,
    count(*) as n_entities,
    count(given.entity_id) as n_given,
    count(*) filter (where given.is_as_recorded) as n_as_recorded,
    {{ round_significant(share_of('count(given.entity_id)', 'count(*)'), 12) }} as share_given,
    {{ round_significant(share_of('count(*) filter (where given.is_as_recorded)', 'count(given.entity_id)'), 12) }} as share_as_recorded
from recorded
inner join {{ ref('experiments') }} as experiment on recorded.experiment_id = experiment.experiment_id
left join given
    on recorded.experiment_id = given.experiment_id and recorded.entity_id = given.entity_id
        and recorded.property_id = given.property_id
group by recorded.experiment_id, experiment.model, experiment.setting, experiment.prompt, recorded.property_id
order by recorded.experiment_id, recorded.property_id
