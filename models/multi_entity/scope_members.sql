-- The whole topic, each value of an attribute that can narrow it, and each century of such a year.
with narrowing as (
    select
        topic,
        attribute,
        kind,
        is_year
    from {{ ref('attributes') }}
    -- a scope that changes with time would need a date of its own in every text
    where (scope is not null or scope_false is not null) and is_volatile is not true and (kind in ('category', 'boolean') or is_year)
),

narrowed as (
    select distinct
        facts.topic,
        facts.attribute as scope_attribute,
        case
            when narrowing.is_year then cast({{ century_of('facts.num') }} as varchar)
            else facts.val
        end as scope_value,
        facts.entity_id
    from {{ ref('entity_values') }} as facts
    inner join narrowing on facts.topic = narrowing.topic and facts.attribute = narrowing.attribute
)

select
    topic || '/' || scope_attribute || '=' || scope_value as scope_id,
    topic,
    scope_attribute,
    scope_value,
    entity_id
from narrowed

union all

select
    topic as scope_id,
    topic,
    null as scope_attribute,
    null as scope_value,
    entity_id
from {{ ref('named_entities') }}
