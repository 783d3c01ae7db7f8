{# Bound topics form components. Components are laid in a few hash orders; of all runs of neighbours that give the test side what it
   needs, the one whose share of questions is nearest to 30% becomes the test side. #}
with recursive accepted as (
    select
        topic,
        type,
        count(*) as n
    from {{ ref('judged') }}
    where reason is null
    group by all
),

reachable as (
    select distinct
        topic,
        topic as other
    from accepted

    union

    select
        reachable.topic,
        case when binding.topic = reachable.other then binding.bound_topic else binding.topic end as other
    from reachable
    inner join {{ ref('split_bindings') }} as binding on reachable.other in (binding.topic, binding.bound_topic)
),

components as (
    select
        topic,
        min(other) as component
    from reachable
    group by topic
),

placed as (
    select
        orders.n as hash_order,
        components.component,
        row_number() over (
            partition by orders.n order by {{ hash_fraction("orders.n || '/' || components.component") }}, components.component
        ) as place
    from (select distinct component from components) as components
    cross join generate_series(1, 40) as orders (n)
),

totals as (
    select
        sum(n) as n,
        count(distinct type) as n_types
    from accepted
),

runs as (
    select
        head.hash_order,
        head.place as first_place,
        tail.place as last_place
    from placed as head
    inner join placed as tail on head.hash_order = tail.hash_order and head.place <= tail.place
),

measured as (
    select
        runs.hash_order,
        runs.first_place,
        runs.last_place,
        sum(accepted.n) / any_value(totals.n) as share,
        count(distinct accepted.topic) >= 3 and count(distinct accepted.type) = any_value(totals.n_types) as is_complete
    from runs
    inner join placed
        on runs.hash_order = placed.hash_order and placed.place between runs.first_place and runs.last_place
    inner join components on placed.component = components.component
    inner join accepted on components.topic = accepted.topic
    cross join totals
    group by all
),

chosen as (
    select *
    from measured
    order by is_complete desc, abs(share - 0.3), hash_order, first_place, last_place
    limit 1
)

select
    components.topic,
    components.component,
    case when placed.place between chosen.first_place and chosen.last_place then 'test' else 'train' end as split
from components
cross join chosen
inner join placed on components.component = placed.component and placed.hash_order = chosen.hash_order
order by components.topic
