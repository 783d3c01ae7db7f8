select
    entity_id,
    label,
    {{ number('P2044') }} as elevation_m,
    {{ latitude('P625') }} as latitude,
    {{ longitude('P625') }} as longitude,
    {{ latitude('P625') }} > 0 as is_northern,
    {{ category('P17') }} as country,
    {{ category('P131') }} as us_state,
    {{ category('P931') }} as city_served,
    {{ category('P421') }} as time_zone,
    {{ category('P17/P30') }} as country_continent,
    {{ category('P17/P38') }} as country_currency
from {{ topic_facts(classes=['Q1248784'], hops=['P17']) }}
group by entity_id, label
