{# A passage of the warehouse is all that it records of one property. #}
select
    {{ stable_id(["'warehouse'", 'entity_id', 'property_id']) }} as passage_id,
    entity_id,
    'warehouse' as source,
    min(source_url) as source_url,
    row_number() over (partition by entity_id order by property_id) - 1 as ordinal,
    subject || ' - ' || predicate || ': '
    || {{ joined_rows("object || coalesce(' (as of ' || as_of || ')', '')", '; ', 'statement_id') }} as text
from {{ ref('warehouse_triples') }}
group by entity_id, property_id, subject, predicate
union all
select
    {{ stable_id(['landed.source', 'landed.entity_id', 'landed.source_url', 'landed.ordinal']) }} as passage_id,
    landed.entity_id,
    landed.source,
    landed.source_url,
    landed.ordinal,
    landed.text
from {{ ref('stg_elicitation__passages') }} as landed
inner join {{ ref('sources') }} as read
    on landed.reference_id = read.reference_id and landed.entity_id = read.entity_id and landed.source = read.source
        and landed.source_url is not distinct from read.source_url
where read.is_current
order by entity_id, source, ordinal
