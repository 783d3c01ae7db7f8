select
    entity_id,
    label,
    {{ round_significant(number('P2067', unit='Q483261') ~ ' * 931.49410372', 9) }} as mass_mev,
    {{ round_significant(number('P2223', unit='Q83327') ~ ' / 1e6', 9) }} as width_mev,
    {{ number('P2200') }} as charge,
    {{ number('P1122') }} as spin,
    {{ number('P1126') }} as isospin,
    {{ category('P279') }} as kind,
    case {{ number('P1123') }} when 1 then 'even' when -1 then 'odd' end as parity,
    {{ categories('P527') }} as quarks,
    {{ number('P2200') }} != 0 as is_charged
from {{ topic_facts(classes=['Q101667']) }}
group by entity_id, label
