{% set ranked_entity = "{'num': num, 'rounding': rounding, 'entity_id': entity_id}" %}
-- Two passes, so that moments are taken around the mean: powers of years alone would lose every digit.
with consulted as (
    select
        members.scope_id,
        members.topic,
        facts.attribute,
        facts.entity_id,
        facts.num,
        facts.rounding
    from {{ ref('scope_members') }} as members
    inner join {{ ref('entity_values') }} as facts
        on members.topic = facts.topic and members.entity_id = facts.entity_id
    where facts.num is not null and members.scope_attribute is distinct from facts.attribute
),

centred as (
    select
        *,
        num - avg(num) over (partition by scope_id, attribute) as deviation
    from consulted
)

select
    scope_id,
    topic,
    attribute,
    count(*) as n,
    count(distinct num) as n_distinct,
    min(num) as lowest,
    max(num) as highest,
    {{ exact_sum('num') }} as total,
    avg(num) as mean,
    median(num) as median,
    avg(power(deviation, 2)) as m2,
    avg(power(deviation, 3)) as m3,
    avg(power(deviation, 4)) as m4,
    -- rounding and id take part in the order, so that equal numbers come out the same on every run
    max({{ ranked_entity }}, 2) as top,
    min({{ ranked_entity }}, 2) as bottom
from centred
group by scope_id, topic, attribute
