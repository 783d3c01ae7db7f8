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

-- an entity has a value once, so its members need not be told apart
valued as (
    select
        scope_id,
        topic,
        attribute,
        val,
        count(*) as n_members
    from consulted
    group by all
),

sized as (
    select
        scope_id,
        attribute,
        count(distinct entity_id) as n
    from consulted
    group by all
)

select
    valued.*,
    sized.n,
    count(*) over (partition by valued.scope_id, valued.attribute) as n_values
from valued
inner join sized on valued.scope_id = sized.scope_id and valued.attribute = sized.attribute
