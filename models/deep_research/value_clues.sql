{# A number is given to two significant digits, so that several entities share it; what changes with time is no clue. #}
with spoken as (
    select
        facts.entity_id,
        facts.topic,
        facts.attribute,
        phrases.phrase,
        phrases.kind,
        case
            when phrases.kind in ('year', 'count') then cast(cast(facts.value_num as integer) as varchar)
            else {{ canonical_number(round_significant('facts.value_num', 2)) }}
        end as spoken
    from {{ ref('entity_attributes') }} as facts
    inner join {{ ref('value_phrases') }} as phrases on facts.topic = phrases.topic and facts.attribute = phrases.attribute
    where facts.value_num <> 0
    qualify count(*) over (partition by facts.topic, facts.entity_id, facts.attribute) = 1
)

select
    entity_id,
    {{ stable_id(['topic', 'attribute', 'spoken']) }} as clue_id,
    attribute,
    phrase,
    kind,
    spoken
from spoken
