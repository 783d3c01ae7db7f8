{%- for topic in var('topics', []) %}
-- depends_on: {{ ref(topic) }}
{%- endfor %}
{%- set rows = [] %}
{%- for node in topic_models() %}
    {%- do rows.extend(consulted_paths(node)) %}
{%- endfor %}
-- A fill of what decides who belongs to a topic is behind all that is said of a member; behind a column that is computed by the
-- topic's own SQL may be any path that the topic consults.
with consulted as (
    {{ literal_table({'topic': 'varchar', 'path': 'varchar', 'decides': 'boolean'}, rows) }}
),

behind as (
    select
        meta.topic,
        meta.attribute,
        consulted.path
    from {{ ref('attribute_meta') }} as meta
    inner join consulted
        on meta.topic = consulted.topic and (meta.path is null or meta.path = consulted.path or consulted.decides)
),

filled as (
    select
        entity_id,
        property_id as path,
        statement_id
    from {{ ref('fills') }}

    union all

    -- of two steps the link may be an article's word
    select
        first_step.entity_id,
        first_step.property_id || '/' || second_step.property_id as path,
        first_step.statement_id
    from {{ ref('fills') }} as first_step
    inner join {{ ref('best_values') }} as link on first_step.statement_id = link.statement_id
    inner join {{ ref('best_values') }} as second_step on link.value_entity = second_step.subject_id

    union all

    -- or what is said of the thing that it leads to
    select
        link.subject_id as entity_id,
        link.property_id || '/' || second_step.property_id as path,
        second_step.statement_id
    from {{ ref('fills') }} as second_step
    inner join {{ ref('best_values') }} as link on second_step.entity_id = link.value_entity
)

select distinct
    known.topic,
    known.entity_id,
    known.attribute,
    filled.statement_id
from filled
inner join behind on filled.path = behind.path
inner join {{ ref('entity_attributes') }} as known
    on filled.entity_id = known.entity_id and behind.topic = known.topic and behind.attribute = known.attribute
order by known.topic, known.entity_id, known.attribute, filled.statement_id
