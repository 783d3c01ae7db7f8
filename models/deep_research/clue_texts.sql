{# A clue keeps its hops: what is said of the thing in between stands in a clause of its own, and that thing is not named. #}
with phrases as (
    select
        *,
        {{ link_path('clue_phrases') }} as path
    from {{ ref('clue_phrases') }} as clue_phrases
),

articles as (
    select
        entity.entity_id,
        case when listed.name is not null or topic_of.article is not null then 'the ' else '' end || entity.label as name
    from {{ ref('entities') }} as entity
    left join {{ ref('names_with_article') }} as listed on entity.label = listed.name
    left join (
        select
            attributes.entity_id,
            min(topics.article) as article
        from {{ ref('entity_attributes') }} as attributes
        inner join {{ ref('research_topics') }} as topics on attributes.topic = topics.topic
        group by attributes.entity_id
    ) as topic_of on entity.entity_id = topic_of.entity_id
),

said as (
    select distinct
        chains.entity_id,
        chains.clue_id,
        replace(replace(one.first, '{mid}', one.mid || ' ' || two.second), '{value}', articles.name) as clause
    from {{ ref('chains') }} as chains
    inner join phrases as one on chains.first_path = one.path
    inner join phrases as two on chains.second_path = two.path
    inner join articles on chains.end_id = articles.entity_id

    union all

    select
        entity_id,
        clue_id,
        replace(phrase, '{value}', spoken) || case when kind = 'number' then ' (to two significant digits)' else '' end as clause
    from {{ ref('value_clues') }}
)

select
    chosen.entity_id,
    chosen.place,
    chosen.clue_id,
    chosen.kind,
    chosen.about,
    chosen.mid_id,
    chosen.n,
    chosen.n_left,
    replace(said.clause, 'the the ', 'the ') as clause
from {{ ref('clue_sets') }} as chosen
inner join said on chosen.entity_id = said.entity_id and chosen.clue_id = said.clue_id
