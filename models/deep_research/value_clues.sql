{# A number is given to two significant digits, so that several entities share it, and only where another source's last digit would
   not round it differently. It is matched by whoever has that number among its values, or within a hundredth of it. #}
with known as (
    select
        facts.entity_id,
        facts.topic,
        facts.attribute,
        facts.value_num,
        phrases.phrase,
        phrases.kind,
        -- what an article says may fit a clue, but is none
        (facts.topic, facts.entity_id, facts.attribute) in (
            select (filled.topic, filled.entity_id, filled.attribute) from {{ ref('filled_attributes') }} as filled
        ) as is_filled,
        count(*) over (partition by facts.topic, facts.entity_id, facts.attribute) = 1 as is_single
    from {{ ref('entity_attributes') }} as facts
    inner join {{ ref('value_phrases') }} as phrases on facts.topic = phrases.topic and facts.attribute = phrases.attribute
    where facts.value_num > case when phrases.kind = 'count' then 1 else 0 end
),

spoken as (
    select
        known.*,
        case
            when known.kind in ('year', 'count') then cast(cast(known.value_num as integer) as varchar)
            else {{ canonical_number(round_significant('known.value_num * nearby.factor', 2)) }}
        end as spoken
    from known
    cross join (values (0.99), (1.0), (1.01)) as nearby (factor)
)

select
    entity_id,
    {{ stable_id(['topic', 'attribute', 'spoken']) }} as clue_id,
    attribute,
    any_value(phrase) as phrase,
    any_value(kind) as kind,
    spoken,
    bool_and(is_single and not is_filled) and count(*) = 3 as can_be_given
from spoken
group by entity_id, topic, attribute, spoken
