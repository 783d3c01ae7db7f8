select
    entity_id,
    label,
    {{ number('P2374', unit='Q11229') }} as abundance_percent,
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
    {{ number('P2114') }} is not null as is_radioactive
from {{ topic_facts(classes=['Q25276'], hops=['P279']) }}
group by entity_id, label
having {{ number('P2374') }} is not null
