-- Of a question about a scope every member counts, and the attribute that makes the scope; of one about named entities these alone.
-- Deep-research questions rest on what is recorded.
with asked as (
    select
        question_id,
        topic,
        scope_id,
        named_ids,
        {{ list_elements('attributes') }} as attribute
    from {{ ref('judged') }}
    where reason is null
),

entities as (
    select
        asked.question_id,
        asked.topic,
        asked.attribute,
        {{ list_elements('asked.named_ids') }} as entity_id
    from asked
    where asked.named_ids is not null

    union all

    select
        asked.question_id,
        asked.topic,
        asked.attribute,
        members.entity_id
    from asked
    inner join {{ ref('scope_members') }} as members on asked.scope_id = members.scope_id
    where asked.named_ids is null
        -- ten times as many rows as there are facts, and nearly always for nothing
        and members.entity_id in (select filled.entity_id from {{ ref('filled_attributes') }} as filled)
)

select distinct
    entities.question_id,
    entities.topic,
    entities.entity_id,
    filled.attribute,
    filled.statement_id
from entities
inner join {{ ref('filled_attributes') }} as filled
    on entities.topic = filled.topic
    and entities.entity_id = filled.entity_id
    and entities.attribute = filled.topic || '.' || filled.attribute
order by entities.question_id, entities.entity_id, filled.attribute, filled.statement_id
