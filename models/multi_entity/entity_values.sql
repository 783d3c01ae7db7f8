{# One row a consulted fact. The rounding is what the source itself left open: half the width of its bounds, else half a unit of its
   last digit. #}
with known as (
    select
        subject_id,
        property_id,
        value_entity,
        rounding_canonical as rounding
    from {{ ref('best_values') }}
),

paths as (
    select distinct path
    from {{ ref('attributes') }}
    where kind = 'number' and path is not null
),

roundings as (
    select
        known.subject_id,
        known.property_id as path,
        max(known.rounding) as rounding
    from known
    inner join paths on known.property_id = paths.path
    where known.rounding is not null
    group by all

    union all

    select
        first_hop.subject_id,
        paths.path,
        max(second_hop.rounding) as rounding
    from paths
    inner join known as first_hop on split_part(paths.path, '/', 1) = first_hop.property_id
    inner join known as second_hop
        on first_hop.value_entity = second_hop.subject_id and split_part(paths.path, '/', 2) = second_hop.property_id
    where second_hop.rounding is not null
    group by all
)

select
    facts.topic,
    facts.attribute,
    facts.entity_id,
    facts.label,
    attributes.kind,
    facts.value_text as val,
    coalesce(facts.value_num, date_diff('day', date '0001-01-01', facts.value_date)) as num,
    coalesce(roundings.rounding, 0) as rounding
from {{ ref('entity_attributes') }} as facts
inner join {{ ref('attributes') }} as attributes
    on facts.topic = attributes.topic and facts.attribute = attributes.attribute
left join roundings
    on facts.entity_id = roundings.subject_id and attributes.path = roundings.path and attributes.kind = 'number'
