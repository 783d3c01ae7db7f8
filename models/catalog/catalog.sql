with sizes as (
    {%- for topic in var('topics', []) %}
    select
        '{{ topic }}' as topic,
        count(*) as entities
    from {{ ref(topic) }}
    {{ 'union all' if not loop.last }}
    {%- else %}
    {{ literal_table({'topic': 'varchar', 'entities': 'bigint'}, []) }}
    {%- endfor %}
),

filled as (
    select
        topic,
        attribute,
        count(distinct entity_id) as entities,
        count(distinct coalesce(value_text, cast(value_num as varchar), cast(value_date as varchar))) as distinct_values
    from {{ ref('entity_attributes') }}
    group by topic, attribute
)

select
    attribute_meta.topic,
    attribute_meta.attribute,
    attribute_meta.kind,
    attribute_meta.phrase,
    attribute_meta.unit,
    attribute_meta.hops,
    round(coalesce(filled.entities, 0) / nullif(sizes.entities, 0), 6) as coverage,
    coalesce(filled.distinct_values, 0) as distinct_values,
    attribute_meta.is_multivalued,
    attribute_meta.is_volatile as volatile
from {{ ref('attribute_meta') }} as attribute_meta
inner join sizes on attribute_meta.topic = sizes.topic
left join filled on attribute_meta.topic = filled.topic and attribute_meta.attribute = filled.attribute
order by attribute_meta.topic, attribute_meta.position
