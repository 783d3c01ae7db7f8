{# Only links that have a phrase are followed, so that a class, a time zone or a sex is never a clue. A phrase serves as the
   first link of a chain, as its second, or as both. #}
with topic_of as (
    select
        entity_id,
        min(topic) as topic
    from {{ ref('entity_attributes') }}
    group by entity_id
),

stated as (
    select distinct
        best.subject_id,
        best.property_id,
        best.value_entity,
        topic_of.topic
    from {{ ref('best_values') }} as best
    left join topic_of on best.subject_id = topic_of.entity_id
    inner join {{ ref('entities') }} as value on best.value_entity = value.entity_id
    where best.value_kind = 'entity' and value.label is not null
)

select
    case when phrase.direction = 'forward' then stated.subject_id else stated.value_entity end as from_id,
    {{ link_path('phrase') }} as path,
    case when phrase.direction = 'forward' then stated.value_entity else stated.subject_id end as to_id,
    phrase.first is not null as can_begin,
    phrase.second is not null as can_end
from stated
inner join {{ ref('clue_phrases') }} as phrase
    on stated.property_id = phrase.property_id and coalesce(phrase.subject_topic, stated.topic) = stated.topic
