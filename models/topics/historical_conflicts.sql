with conflicts as (
    select
        entity_id,
        label,
        {{ category('P31') }} as conflict_kind,
        {{ year('P580') }} as start_year,
        {{ year('P582') }} as end_year,
        {{ date('P580') }} as started_on,
        {{ date('P582') }} as ended_on,
        {{ categories('P17') }} as countries,
        {{ category('P17') }} as country,
        {{ category('P17/P30') }} as continent,
        {{ category('P361') }} as war,
        {{ categories('P710') }} as belligerents,
        {{ categories('P1346') }} as victors
    from {{ topic_facts(classes=['Q178561', 'Q1261499', 'Q188055', 'Q198'], hops=['P17']) }}
    group by entity_id, label
)

select
    *,
    -- both the first and the last day were days of fighting
    {{ days_between('started_on', 'ended_on') }} + 1 as duration_days,
    case when conflict_kind = 'war' then end_year - start_year end as war_length_years
from conflicts
where start_year is not null
