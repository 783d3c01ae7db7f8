with ascents as (
    select
        entity_id,
        min(first_ascent_year) as first_ascent_year
    from {{ qualified('P793', value='typed:event/first-ascent', years={'P585': 'first_ascent_year'}) }} as events
    group by entity_id
),

mountains as (
    select
        entity_id,
        label,
        {{ number('P2044') }} as elevation_m,
        {{ number('P2660') }} as prominence_m,
        {{ latitude() }} as latitude,
        {{ longitude() }} as longitude,
        {{ category('P30') }} as continent,
        {{ categories('P17') }} as countries,
        {{ count_of('P17') }} as country_count,
        {{ category('P4552') }} as mountain_range,
        {{ boolean('P31', 'Q8072') }} as is_volcano
    from {{ topic_facts(classes=['Q8502']) }}
    group by entity_id, label
)

-- Of a summit without coordinates no more is known than that it is some country's highest point.
select
    mountains.*,
    ascents.first_ascent_year
from mountains
left join ascents on mountains.entity_id = ascents.entity_id
where mountains.latitude is not null
