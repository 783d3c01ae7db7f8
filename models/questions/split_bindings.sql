{# Two topics that must stay on one side: a number or date that one reaches by a hop is an own attribute of the other. #}
select distinct
    reaching.topic,
    owning.topic as bound_topic
from {{ ref('attribute_meta') }} as reaching
inner join {{ ref('attribute_meta') }} as owning
    on reaching.topic <> owning.topic and owning.hops = 1 and owning.path = split_part(reaching.path, '/', 2)
where reaching.hops = 2 and reaching.kind in ('number', 'date')
    and exists (
        select 1
        from {{ ref('entity_attributes') }} as reached
        inner join {{ ref('best_values') }} as link
            on reached.entity_id = link.subject_id and link.property_id = split_part(reaching.path, '/', 1)
        inner join {{ ref('entity_attributes') }} as owned
            on link.value_entity = owned.entity_id and owned.topic = owning.topic and owned.attribute = owning.attribute
        where reached.topic = reaching.topic and reached.attribute = reaching.attribute
    )
order by reaching.topic, owning.topic
