with parts as (
    select
        entity_id,
        max(amount) filter (where value_name = 'Olympic delegation') as nations,
        max(amount) filter (where value_name = 'Olympic event') as events,
        max(amount) filter (where value_name = 'Olympic sport') as sports,
        max(amount) filter (where value_name = 'female Olympic competitor') as women,
        max(amount) filter (where value_name = 'male Olympic competitor') as men
    from {{ qualified('P2670', numbers={'P1114': 'amount'}) }} as counted
    group by entity_id
),

medals as (
    select
        entity_id,
        max(golds) filter (where place = 1) as leader_golds,
        -- the medal table is known as far as its third place, or not at all
        case when count(*) = 3 then {{ list_agg_sorted('value_name') }} end as top_three
    from {{ qualified('P1346', numbers={'P1352': 'place', 'P1355': 'golds'}) }} as ranked
    group by entity_id
),

editions as (
    select
        entity_id,
        label,
        {{ year('P580') }} as held_year,
        {{ date('P580') }} as opened_on,
        {{ date('P582') }} as closed_on,
        {{ category('P276') }} as host_city,
        {{ category('P17') }} as host_country,
        {{ category('P17/P30') }} as host_continent,
        {{ number('P1132') }} as participants,
        {{ category('P1346') }} as leading_nation
    from {{ topic_facts(classes=['Q159821'], hops=['P17']) }}
    group by entity_id, label
)

select
    editions.*,
    {{ days_between('editions.opened_on', 'editions.closed_on') }} + 1 as duration_days,
    parts.nations,
    parts.events,
    parts.sports,
    parts.women,
    parts.men,
    round(100 * parts.women / (parts.women + parts.men), 2) as women_percent,
    medals.leader_golds,
    medals.top_three
from editions
left join parts on editions.entity_id = parts.entity_id
left join medals on editions.entity_id = medals.entity_id
