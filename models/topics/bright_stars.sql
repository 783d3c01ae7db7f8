select
    entity_id,
    label,
    {{ number('P1215') }} as apparent_magnitude,
    {{ round_significant(number('P1215') ~ ' + 5 * (log10(' ~ number('P2214', unit='Q21500224') ~ ') - 2)', 6) }} as absolute_magnitude,
    {{ number('P1458') }} as colour_index,
    {{ round_significant('3261.563777 / ' ~ number('P2214', unit='Q21500224'), 6) }} as distance_ly,
    {{ number('P6257') }} as right_ascension_deg,
    {{ number('P6258') }} as declination_deg,
    {{ number('P10752') }} as motion_in_right_ascension,
    {{ number('P10751') }} as motion_in_declination,
    {{ category('P59') }} as constellation,
    {{ number('P6258') }} > 0 as is_northern
from {{ topic_facts(classes=['Q523']) }}
group by entity_id, label
