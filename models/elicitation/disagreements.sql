{# Only properties that the warehouse records once of an entity: of the others several objects are true. #}
with single as (
    select property_id
    from {{ ref('warehouse_triples') }}
    group by property_id
    having count(*) = count(distinct entity_id)
),

said as (
    select
        elicited.entity_id,
        elicited.property_id,
        elicited.object_words,
        min(elicited.object) as object,
        {{ list_agg_sorted('elicited.model') }} as models,
        bool_or(matched.triple_id is not null) as is_as_recorded
    from {{ ref('triples') }} as elicited
    inner join single on elicited.property_id = single.property_id
    left join {{ ref('matches') }} as matched on elicited.triple_id = matched.triple_id
    where elicited.object_words <> ''
    group by elicited.entity_id, elicited.property_id, elicited.object_words
)

select
    one.entity_id,
    one.property_id,
    one.object,
    one.models,
    other.object as other_object,
    other.models as other_models,
    case when one.is_as_recorded then 'object' when other.is_as_recorded then 'other_object' end as recorded
from said as one
inner join said as other
    on one.entity_id = other.entity_id and one.property_id = other.property_id and one.object_words < other.object_words
where exists (
    select 1
    from (select {{ list_elements('one.models') }} as model) as here
    cross join (select {{ list_elements('other.models') }} as model) as there
    where here.model <> there.model
)
order by one.entity_id, one.property_id, one.object, other.object
