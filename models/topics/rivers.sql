select
    entity_id,
    label,
    {{ number('P2043') }} as length_km,
    {{ number('P2053') }} as watershed_km2,
    {{ category('P4614') }} as ocean,
    {{ categories('P205') }} as countries,
    {{ categories('P205/P30') }} as continents
from {{ topic_facts(classes=['Q4022'], hops=['P205']) }}
group by entity_id, label
