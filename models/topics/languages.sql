select
    entity_id,
    label,
    {{ count_of('P17') }} as country_count,
    {{ categories('P17') }} as countries,
    {{ categories('P17/P30') }} as continents,
    {{ category('P282') }} as writing_system,
    {{ count_of('P218') }} is not null as has_two_letter_code,
    {{ text('P220') }} as iso_639_3
from {{ topic_facts(classes=['Q34770'], hops=['P17']) }}
group by entity_id, label
