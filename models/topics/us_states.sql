with summits as (
    select
        entity_id,
        max(elevation_ft) as highest_elevation_ft
    from {{ qualified('P610', numbers={'P2044': 'elevation_ft'}) }} as highest_points
    group by entity_id
),

states as (
    select
        entity_id,
        label,
        {{ year('P571') }} as admission_year,
        {{ date('P571') }} as admitted_on,
        {{ text('P36') }} as capital,
        {{ category('P361') }} as region,
        {{ number('P2046') }} as area_km2,
        {{ categories('P47') }} as neighbours,
        {{ count_of('P47') }} as neighbour_count
    from {{ topic_facts(classes=['Q35657']) }}
    group by entity_id, label
)

select
    states.*,
    summits.highest_elevation_ft
from states
left join summits on states.entity_id = summits.entity_id
