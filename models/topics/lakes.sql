select
    entity_id,
    label,
    {{ number('P2046') }} as area_km2,
    {{ category('P1552') }} as water,
    {{ categories('P205') }} as countries,
    {{ categories('P205/P30') }} as continents
from {{ topic_facts(classes=['Q23397'], hops=['P205']) }}
group by entity_id, label
