with consulted as (
    select
        members.scope_id,
        members.topic,
        facts.attribute,
        facts.val,
        facts.entity_id
    from {{ ref('scope_members') }} as members
    inner join {{ ref('entity_values') }} as facts
        on members.topic = facts.topic and members.entity_id = facts.entity_id
    where facts.val is not null and members.scope_attribute is distinct from facts.attribute
),

sized as (
    select
        scope_id,
        attribute,
        count(distinct entity_id) as n,
        count(distinct val) as n_values
    from consulted
    group by all
)

select
    consulted.scope_id,
    consulted.topic,
    consulted.attribute,
    consulted.val,
    count(distinct consulted.entity_id) as n_members,
    any_value(sized.n) as n,
    any_value(sized.n_values) as n_values
from consulted
inner join sized on consulted.scope_id = sized.scope_id and consulted.attribute = sized.attribute
group by consulted.scope_id, consulted.topic, consulted.attribute, consulted.val
