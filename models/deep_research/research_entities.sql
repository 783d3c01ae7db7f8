{# An entity whose name another one of the topic shares could not be told from it in an answer. #}
with named as (
    select distinct
        attributes.topic,
        attributes.entity_id,
        attributes.label,
        count(*) over (partition by attributes.topic, lower(attributes.label)) as namesakes
    from (select distinct topic, entity_id, label from {{ ref('entity_attributes') }}) as attributes
    inner join {{ ref('research_topics') }} as topics on attributes.topic = topics.topic
)

select
    named.entity_id,
    named.label,
    topics.topic,
    topics.domain,
    topics.singular,
    topics.plural,
    topics.pronoun,
    topics.relative,
    entity.aliases
from named
inner join {{ ref('research_topics') }} as topics on named.topic = topics.topic
inner join {{ ref('entities') }} as entity on named.entity_id = entity.entity_id
where named.namesakes = 1
qualify row_number() over (partition by named.topic order by {{ hash_fraction("'research/' || named.entity_id") }}, named.entity_id)
    <= {{ var('deep_research')['entities_per_topic'] }}
