with valued as (
    select
        best.statement_id,
        best.subject_id as entity_id,
        best.property_id,
        property.label as predicate,
        best.value_entity as object_id,
        best.source_url,
        best.value_canonical,
        case best.value_kind
            when 'entity' then coalesce(value.label, word.label)
            when 'quantity'
                then ltrim(best.amount_text, '+')
                    || coalesce(' ' || case when abs(best.value_num) = 1 then unit.label else unit.label_plural end, '')
            when 'time' then {{ time_stated('best.value_time') }}
            when 'coordinate' then cast(round(best.latitude, 4) as varchar) || ', ' || cast(round(best.longitude, 4) as varchar)
            else best.value_text
        end as object,
        {{ time_stated('best.point_in_time') }} as as_of
    from {{ ref('best_values') }} as best
    inner join {{ ref('subjects') }} as subject on best.subject_id = subject.entity_id
    inner join {{ ref('vocabulary') }} as property on best.property_id = property.id
    left join {{ ref('entities') }} as value on best.value_entity = value.entity_id
    left join {{ ref('vocabulary') }} as word on best.value_entity = word.id
    left join {{ ref('units') }} as unit on best.unit_id = unit.unit_id
    where subject.n_statements >= {{ var('elicitation').least_statements }} and {{ is_recorded('best') }}
)

select
    {{ stable_id(["'warehouse'", 'valued.statement_id']) }} as triple_id,
    valued.entity_id,
    subject.title as subject,
    valued.predicate,
    valued.object,
    valued.property_id,
    valued.object_id,
    valued.statement_id,
    valued.source_url,
    valued.as_of
from valued
inner join {{ ref('subjects') }} as subject on valued.entity_id = subject.entity_id
where valued.object is not null
order by valued.entity_id, valued.property_id, valued.statement_id
