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

means as (
    select
        scope_id,
        attribute,
        {{ in_one_order('avg', 'num') }} as mean
    from consulted
    group by scope_id, attribute
),

centred as (
    select
        consulted.*,
        means.mean,
        consulted.num - means.mean as deviation
    from consulted
    inner join means on consulted.scope_id = means.scope_id and consulted.attribute = means.attribute
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
    max(mean) as mean,
    median(num) as median,
    {{ in_one_order('avg', 'power(deviation, 2)') }} as m2,
    {{ in_one_order('avg', 'power(deviation, 3)') }} as m3,
    {{ in_one_order('avg', 'power(deviation, 4)') }} as m4,
    -- rounding and id take part in the order, so that equal numbers come out the same on every run
    max({{ ranked_entity }}, 2) as top,
    min({{ ranked_entity }}, 2) as bottom
from centred
group by scope_id, topic, attribute
