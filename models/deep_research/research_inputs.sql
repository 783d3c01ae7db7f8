{# The one value of an attribute as a number; a date is the number of its day, counted from 1 January 1970. Its precision, in the
   attribute's unit, is half of the stated bounds' width or of the last digit: trailing zeros of a whole number are not taken for
   digits, and coordinates are good to a hundredth of a degree. Where sources stand beside each other that disagree, it is how far
   they are apart. #}
with known as (
    select
        facts.entity_id,
        facts.topic,
        facts.attribute,
        coalesce(facts.value_num, date_diff('day', date '1970-01-01', facts.value_date)) as value,
        facts.value_date is not null as is_date,
        facts.as_of,
        meta.path,
        meta.unit,
        meta.is_volatile
    from {{ ref('entity_attributes') }} as facts
    inner join {{ ref('research_entities') }} as entity on facts.entity_id = entity.entity_id and facts.topic = entity.topic
    inner join {{ ref('attribute_meta') }} as meta on facts.topic = meta.topic and facts.attribute = meta.attribute
    left join {{ ref('filled_attributes') }} as filled
        on facts.topic = filled.topic and facts.entity_id = filled.entity_id and facts.attribute = filled.attribute
    where facts.kind in ('number', 'date') and meta.hops = 1 and filled.statement_id is null
    qualify count(*) over (partition by facts.topic, facts.entity_id, facts.attribute) = 1
),

stated as (
    select
        subject_id,
        property_id,
        max(value_num) as value_num,
        max(value_canonical) as value_canonical,
        greatest(max(rounding_canonical), max(value_canonical) - min(value_canonical)) as left_open,
        max(
            case
                when {{ regex_matches('amount_text', '^[+-]?[0-9]*[1-9]0+$') }} and lower_bound is null
                    then 0.5 * power(10, length(amount_text) - length(rtrim(amount_text, '0')))
                else 0
            end
        ) as rounding_of_zeros
    from {{ ref('best_values') }}
    where value_kind = 'quantity'
    group by subject_id, property_id
)

select
    known.entity_id,
    known.topic,
    known.attribute,
    known.value,
    known.is_date,
    known.as_of,
    known.is_volatile,
    case
        when known.is_date then 0
        when known.path = 'P625' then 0.005
        when known.unit = 'kelvins' then coalesce(greatest(stated.left_open, stated.rounding_of_zeros), 0)
        else
            coalesce(
                greatest(
                    stated.left_open * abs(known.value / nullif(stated.value_canonical, 0)),
                    stated.rounding_of_zeros * abs(known.value / nullif(stated.value_num, 0))
                ),
                0
            )
    end as precision
from known
left join stated on known.entity_id = stated.subject_id and known.path = stated.property_id
where known.value is not null
