with stated as (
    select
        warehouse.triple_id,
        warehouse.entity_id,
        warehouse.subject,
        warehouse.predicate,
        warehouse.object,
        'warehouse' as source,
        warehouse.source_url,
        passage.text as sentence,
        warehouse.property_id,
        warehouse.object_id
    from {{ ref('warehouse_triples') }} as warehouse
    left join {{ ref('passages') }} as passage
        on {{ stable_id(["'warehouse'", 'warehouse.entity_id', 'warehouse.property_id']) }} = passage.passage_id
    union all
    select
        {{ stable_id(['landed.source', 'landed.entity_id', 'landed.source_url', 'landed.ordinal']) }} as triple_id,
        landed.entity_id,
        landed.subject,
        landed.predicate,
        landed.object,
        landed.source,
        landed.source_url,
        landed.sentence,
        null as property_id,
        null as object_id
    from {{ ref('stg_elicitation__reference_triples') }} as landed
    inner join {{ ref('sources') }} as read
        on landed.reference_id = read.reference_id and landed.entity_id = read.entity_id and landed.source = read.source
            and landed.source_url is not distinct from read.source_url
    where read.is_current
)

select
    triple_id,
    entity_id,
    subject,
    predicate,
    object,
    source,
    source_url,
    sentence,
    property_id,
    object_id,
    {{ predicate_words('predicate') }} as predicate_words,
    {{ object_words('object') }} as object_words
from stated
-- what several sources say counts once
qualify row_number() over (
    partition by entity_id, predicate_words, object_words
    order by source = 'warehouse' desc, triple_id
) = 1
order by entity_id, triple_id
