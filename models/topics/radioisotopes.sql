select
    entity_id,
    label,
    {{ number('P2114', unit='Q573') }} as half_life_days,
    {{ number('P1086') }} as atomic_number,
    {{ number('P1148') }} as neutron_number,
    {{ number('P2067', unit='Q483261') }} as mass_da,
    {{ number('P1122') }} as spin,
    {{ number('P1097') }} as g_factor,
    {{ year('P575') }} as discovery_year,
    case {{ number('P1123') }} when 1 then 'even' when -1 then 'odd' end as parity,
    {{ category('P279') }} as element,
    {{ category('P279/P279') }} as element_series,
    {{ category('P279/P1552') }} as element_block,
    {{ categories('P817') }} as decay_modes
from {{ topic_facts(classes=['Q25276'], hops=['P279']) }}
group by entity_id, label
having {{ number('P2114', unit='Q573') }} >= 1
