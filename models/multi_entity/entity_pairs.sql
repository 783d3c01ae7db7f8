{# Two named entities of a topic and their values of a number. Of all pairs only neighbours in a hash order (any two values) or at
   a small distance in rank (close values, for hypotheticals) are looked at: a topic of 7,000 has 24 million. #}
with ranked as (
    select
        facts.topic,
        facts.attribute,
        facts.entity_id,
        facts.num,
        facts.rounding,
        row_number() over (
            partition by facts.topic, facts.attribute
            order by {{ hash_fraction("facts.attribute || '/' || facts.entity_id") }}, facts.entity_id, facts.num
        ) as hash_place,
        row_number() over (partition by facts.topic, facts.attribute order by facts.num, facts.entity_id) as place,
        count(*) over (partition by facts.topic, facts.attribute) as n
    from {{ ref('entity_values') }} as facts
    inner join {{ ref('attributes') }} as attribute
        on facts.topic = attribute.topic and facts.attribute = attribute.attribute
    where facts.num is not null and attribute.kind in ('number', 'date')
),

neighbours as (
    select
        'any' as pair_kind,
        one.topic,
        one.attribute,
        one.entity_id as first_id,
        two.entity_id as second_id,
        one.num as first_num,
        two.num as second_num,
        one.rounding + two.rounding as rounding
    from ranked as one
    inner join ranked as two
        on one.topic = two.topic and one.attribute = two.attribute and one.hash_place + 1 = two.hash_place

    union all

    select
        'close' as pair_kind,
        one.topic,
        one.attribute,
        one.entity_id as first_id,
        two.entity_id as second_id,
        one.num as first_num,
        two.num as second_num,
        one.rounding + two.rounding as rounding
    from ranked as one
    inner join ranked as two
        on one.topic = two.topic and one.attribute = two.attribute
        and two.place = one.place + 1 + cast(floor({{ hash_fraction("'distance/' || one.attribute || one.entity_id") }} * one.n / 8) as bigint)
)

select
    neighbours.*,
    concat_ws('/', pair_kind, topic, attribute, least(first_id, second_id), greatest(first_id, second_id)) as pair_key
from neighbours
