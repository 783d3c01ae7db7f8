-- Entities as a question may name them. A label that two entities of a topic share names neither.
with labelled as (
    select distinct
        topic,
        entity_id,
        label
    from {{ ref('entity_attributes') }}
)

select
    labelled.topic,
    labelled.entity_id,
    labelled.label,
    coalesce(topics.label_article || ' ' || labelled.label, {{ in_a_sentence('labelled.label') }}) as shown,
    count(*) over (partition by labelled.topic, lower(labelled.label)) > 1 as is_ambiguous
from labelled
inner join {{ ref('topic_meta') }} as topics on labelled.topic = topics.topic
