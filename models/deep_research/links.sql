{# Only links that have a phrase are followed, so that a class, a time zone or a sex is never a clue. Where a property is missing for
   many of a topic's entities, what is not stated may still be true of them: such a link tells nothing apart and is left out. #}
with topic_of as (
    -- of several where it is of several: who was given two prizes is a laureate of both
    select distinct
        entity_id,
        topic
    from {{ ref('entity_attributes') }}
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
    where best.value_kind = 'entity' and value.label is not null and {{ is_recorded('best') }}
),

covered as (
    select
        stated.property_id,
        stated.topic,
        count(distinct stated.subject_id) / any_value(sizes.n) as share
    from stated
    inner join (
        select
            topic,
            count(*) as n
        from topic_of
        group by topic
    ) as sizes on stated.topic = sizes.topic
    group by stated.property_id, stated.topic
)

select distinct
    case when phrase.direction = 'forward' then stated.subject_id else stated.value_entity end as from_id,
    {{ link_path('phrase') }} as path,
    case when phrase.direction = 'forward' then stated.value_entity else stated.subject_id end as to_id,
    phrase.first is not null as can_begin,
    phrase.second is not null as can_end,
    -- "is also the capital of": of another thing than the one that is looked for
    contains(coalesce(phrase.second, ''), 'also ') as is_of_another
from stated
inner join {{ ref('clue_phrases') }} as phrase
    on stated.property_id = phrase.property_id and coalesce(phrase.subject_topic, stated.topic, '') = coalesce(stated.topic, '')
left join covered on stated.property_id = covered.property_id and stated.topic = covered.topic
where stated.topic is null or covered.share >= {{ var('deep_research')['least_coverage'] }}
