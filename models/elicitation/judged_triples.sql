{# Who the entity is, by what slices, is taken from the set that was asked about, as it stands now. #}
with texts as (
    select
        triple_id,
        subject,
        predicate,
        object
    from {{ ref('triples') }}
    union all
    select
        triple_id,
        subject,
        predicate,
        object
    from {{ ref('reference_triples') }}
)

select
    verdict.evaluation_id,
    verdict.experiment_id,
    experiment.model,
    experiment.setting,
    experiment.prompt,
    verdict.direction,
    verdict.triple_id,
    verdict.entity_id,
    asked.title,
    texts.subject,
    texts.predicate,
    texts.object,
    verdict.verdict,
    verdict.method,
    verdict.error,
    entity.topic,
    entity.domain,
    entity.popularity_bucket,
    entity.reference_range
from {{ ref('elicited_verdicts') }} as verdict
inner join {{ ref('experiments') }} as experiment on verdict.experiment_id = experiment.experiment_id
left join {{ ref('elicitations') }} as asked
    on verdict.experiment_id = asked.experiment_id and verdict.entity_id = asked.entity_id
left join {{ ref('elicited_entities') }} as entity
    on experiment.set_name = entity.set_name and verdict.entity_id = entity.entity_id
left join texts on verdict.triple_id = texts.triple_id
order by verdict.evaluation_id, verdict.direction, verdict.triple_id
