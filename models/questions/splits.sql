{# Topics are dealt in the order of their registration, so that one more at the end moves none of those before it. Bound
   topics form a component, dealt as one at the place of its first; a component goes to the test side where this brings the
   side's share of topics nearer to three tenths. Topics are counted and not questions: their number changes with every snapshot. #}
with recursive registered as (
    {% for topic in var('topics') -%}
    select '{{ topic }}' as topic, {{ loop.index }} as place{{ '\n    union all' if not loop.last }}
    {% endfor %}
),

reachable as (
    select
        topic,
        topic as other
    from registered

    union

    select
        reachable.topic,
        case when binding.topic = reachable.other then binding.bound_topic else binding.topic end as other
    from reachable
    inner join {{ ref('split_bindings') }} as binding on reachable.other in (binding.topic, binding.bound_topic)
),

members as (
    select
        reachable.topic,
        min(registered.place) as first_place
    from reachable
    inner join registered on reachable.other = registered.topic
    group by reachable.topic
),

components as (
    select
        first_place,
        count(*) as size,
        row_number() over (order by first_place) as turn
    from members
    group by first_place
),

dealt as (
    select
        cast(0 as bigint) as turn,
        cast(0 as bigint) as first_place,
        cast(0 as bigint) as n,
        cast(0 as bigint) as n_test,
        false as is_test

    union all

    select
        turn,
        first_place,
        n,
        n_test + case when is_test then size else 0 end as n_test,
        is_test
    from (
        select
            components.turn,
            components.first_place,
            components.size,
            dealt.n + components.size as n,
            dealt.n_test,
            2 * dealt.n_test + components.size < 2 * 0.3 * (dealt.n + components.size) as is_test
        from dealt
        inner join components on dealt.turn + 1 = components.turn
    ) as next_turn
)

select
    members.topic,
    registered.topic as component,
    case when dealt.is_test then 'test' else 'train' end as split
from members
inner join dealt on members.first_place = dealt.first_place
inner join registered on members.first_place = registered.place
order by members.topic
