with plain as (
    select
        landed.experiment_id,
        experiment.model,
        experiment.setting,
        experiment.prompt,
        landed.entity_id,
        landed.subject,
        landed.predicate,
        landed.object,
        landed.ordinal,
        landed.request_hash,
        {{ predicate_words('landed.predicate') }} as predicate_words,
        {{ object_words('landed.object') }} as object_words,
        {{ property_named('landed.predicate') }} as named_property
    from {{ ref('stg_elicitation__triples') }} as landed
    inner join {{ ref('experiments') }} as experiment on landed.experiment_id = experiment.experiment_id
),

properties as (
    select
        {{ plain_words('label') }} as words,
        min(id) as property_id
    from {{ ref('vocabulary') }}
    where kind = 'property'
    group by {{ plain_words('label') }}
),

-- what two entities are called names neither
named as (
    select
        {{ object_words('title') }} as words,
        min(entity_id) as entity_id
    from {{ ref('subjects') }}
    group by {{ object_words('title') }}
    having count(*) = 1
)

select
    {{ stable_id(['plain.experiment_id', 'plain.entity_id', 'plain.ordinal']) }} as triple_id,
    plain.experiment_id,
    plain.model,
    plain.setting,
    plain.prompt,
    plain.entity_id,
    plain.subject,
    plain.predicate,
    plain.object,
    plain.ordinal,
    asked.outcome,
    plain.predicate_words,
    plain.object_words,
    coalesce(plain.named_property, properties.property_id) as property_id,
    named.entity_id as object_id,
    row_number() over (
        partition by plain.experiment_id, plain.entity_id, plain.predicate_words, plain.object_words
        order by plain.ordinal
    ) > 1 as is_duplicate,
    plain.request_hash
from plain
inner join {{ ref('elicitations') }} as asked
    on plain.experiment_id = asked.experiment_id and plain.entity_id = asked.entity_id
left join properties on plain.predicate_words = properties.words
left join named on plain.object_words = named.words
order by plain.experiment_id, plain.entity_id, plain.ordinal
