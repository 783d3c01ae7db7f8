{# Statements are counted as recorded, not as chosen: that is what the bar of ten is about. #}
with stated as (
    select
        statements.subject_id,
        count(*) as n_statements
    from {{ ref('statements') }} as statements
    where {{ is_recorded('statements') }}
    group by statements.subject_id
),

-- who has nothing that says how often it is read is as well known as what speaks of it
named as (
    select
        statements.value_entity as entity_id,
        count(distinct statements.subject_id) as n_links
    from {{ ref('statements') }} as statements
    where statements.value_entity is not null and {{ is_recorded('statements') }}
    group by statements.value_entity
),

topics as (
    select
        entity_id,
        min(topic) as topic
    from {{ ref('entity_attributes') }}
    group by entity_id
),

-- the newest word on an entity, whichever draw or list it is from
drawn as (
    select
        entity_id,
        n_characters,
        n_statements,
        views,
        is_disambiguation
    from {{ ref('stg_elicitation__candidates') }}
    where entity_id is not null
    qualify row_number() over (partition by entity_id order by drawn_at desc, list_id desc, ordinal asc) = 1
)

select
    entity.entity_id,
    coalesce(entity.wikipedia_title, entity.label) as title,
    meta.singular as description,
    topics.topic,
    coalesce(domain.domain, 'Other') as domain,
    coalesce(stated.n_statements, drawn.n_statements, 0) as n_statements,
    drawn.n_characters,
    coalesce(drawn.is_disambiguation, false) as is_disambiguation,
    coalesce(drawn.views, named.n_links, 0) as popularity,
    case when drawn.views is null then 'links' else 'page views' end as popularity_measure
from {{ ref('entities') }} as entity
inner join topics on entity.entity_id = topics.entity_id
left join stated on entity.entity_id = stated.subject_id
left join named on entity.entity_id = named.entity_id
left join drawn on entity.entity_id = drawn.entity_id
left join {{ ref('topic_meta') }} as meta on topics.topic = meta.topic
left join {{ ref('topic_domains') }} as domain on topics.topic = domain.topic
-- two of a topic that are called the same cannot be told apart in a question
qualify
    title is not null
    and count(*) over (partition by topics.topic, title) = 1
order by entity.entity_id
