select
    entity_id,
    label,
    {{ year('P571') }} as first_release_year,
    {{ category('P31') }} as kind,
    {{ category('P178') }} as developer,
    {{ category('P178/P17') }} as developer_country,
    {{ year('P178/P571') }} as developer_founded_year,
    {{ categories('P277') }} as programming_languages,
    {{ category('P275') }} as licence,
    {{ category('P275') }} != 'proprietary' as is_open_source
from {{ topic_facts(classes=['Q7397'], hops=['P178']) }}
group by entity_id, label
