with sized as (
    select
        scope_id,
        topic,
        scope_attribute,
        scope_value,
        count(*) as n_members,
        {{ set_signature('entity_id') }} as signature
    from {{ ref('scope_members') }}
    group by all
    having count(*) > 1
),

worded as (
    select
        sized.*,
        coalesce(narrowing.hops, 0) as scope_hops,
        case
            when narrowing.is_year
                then replace(narrowing.scope, '{century}', {{ century_name('try_cast(sized.scope_value as integer)') }})
            when narrowing.kind = 'boolean' and sized.scope_value = 'false' then narrowing.scope_false
            else replace(narrowing.scope, '{value}', {{ in_a_sentence('sized.scope_value') }})
        end as scope_text,
        case
            when narrowing.is_year
                then narrowing.col || {{ century_bounds('try_cast(sized.scope_value as integer)') }}
            when narrowing.kind = 'boolean'
                then case when sized.scope_value = 'true' then '' else 'not ' end || narrowing.col
            when narrowing.is_multivalued
                then 'list_contains(' || narrowing.col || ', ' || {{ sql_literal('sized.scope_value') }} || ')'
            else narrowing.col || ' = ' || {{ sql_literal('sized.scope_value') }}
        end as scope_sql
    from sized
    left join {{ ref('attributes') }} as narrowing
        on sized.topic = narrowing.topic and sized.scope_attribute = narrowing.attribute
)

select
    worded.*,
    concat_ws(' ', topic.singular, worded.scope_text) as thing,
    concat_ws(' ', topic.plural, worded.scope_text) as things,
    -- two scopes with the same members ask the same thing twice: the plainest one is kept
    row_number() over (
        partition by worded.topic, worded.n_members, worded.signature
        order by worded.scope_hops, length(worded.scope_text), worded.scope_id
    ) > 1 as is_twin
from worded
inner join {{ ref('topic_meta') }} as topic on worded.topic = topic.topic
where worded.scope_attribute is null or worded.scope_text is not null
