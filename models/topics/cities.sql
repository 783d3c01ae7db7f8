select
    entity_id,
    label,
    {{ number('P1082') }} as population,
    {{ as_of('P1082') }} as population_as_of,
    {{ latitude('P625') }} as latitude,
    {{ longitude('P625') }} as longitude,
    {{ latitude('P625') }} > 0 as is_northern,
    {{ category('P17') }} as country,
    {{ category('P131') }} as us_state,
    {{ category('P421') }} as time_zone,
    {{ category('P17/P30') }} as country_continent,
    {{ category('P17/P38') }} as country_currency,
    {{ number('P17/P1082') }} as country_population,
    {{ as_of('P17/P1082') }} as country_population_as_of,
    {{ number('P17/P2046') }} as country_area_km2
from {{ topic_facts(classes=['Q515'], hops=['P17']) }}
group by entity_id, label
having {{ number('P1082') }} >= 100000
