{# The first reason that speaks against a candidate, if any; the order is that of the list in the yml. #}
with coverage as (
    select
        minted.question_id,
        min(coverage.n / minted.scope_members) as share_known
    from (select question_id, scope_id, scope_members, unnest(own_attributes) as attribute from {{ ref('minted') }}) as minted
    inner join {{ ref('scope_coverage') }} as coverage
        on minted.scope_id = coverage.scope_id and minted.attribute = coverage.attribute
    group by all
),

named as (
    select
        minted.question_id,
        bool_or(entity.is_ambiguous) as is_ambiguous
    from (
        select question_id, topic, unnest(list_append(named_ids, answer_entity_id)) as entity_id from {{ ref('minted') }}
    ) as minted
    inner join {{ ref('named_entities') }} as entity on minted.topic = entity.topic and minted.entity_id = entity.entity_id
    group by all
),

reasoned as (
    select
        minted.*,
        case
            when minted.named_ids is null and coverage.share_known < {{ var('min_known_share') }} then 'missing_values'
            when minted.fault in ('degenerate', 'tie', 'low_power', 'method_dependent') then minted.fault
            when minted.category = 'statistics' and minted.operation = 'test' and minted.margin < 0.05 then 'tie'
            when minted.operation = 'test' and minted.margin < 0.05 then 'tie'
            when named.is_ambiguous then 'ambiguous_label'
            when minted.named_ids is null and minted.entity_count < 3 then 'trivial'
            when {{ answer_is_in_question('minted') }} then 'trivial'
            when minted.fault is not null then minted.fault
            when {{ reads_badly('minted.question') }} then 'ungrammatical'
            when minted.is_twin then 'duplicate'
        end as first_reason,
        coverage.share_known
    from {{ ref('minted') }} as minted
    left join coverage on minted.question_id = coverage.question_id
    left join named on minted.question_id = named.question_id
),

deduplicated as (
    select
        *,
        case
            when first_reason is not null then first_reason
            when row_number() over (partition by first_reason is null, question order by question_id) > 1 then 'duplicate'
            when row_number() over (partition by first_reason is null, gold_sql order by question_id) > 1 then 'duplicate'
        end as reason_before_balance
    from reasoned
),

counted as (
    select
        *,
        count(*) filter (where gold_answer = 'yes') over (partition by template_id, reason_before_balance is null) as n_yes,
        count(*) filter (where gold_answer = 'no') over (partition by template_id, reason_before_balance is null) as n_no,
        row_number() over (
            partition by template_id, reason_before_balance is null, gold_answer
            order by {{ hash_fraction("'balance/' || question_id") }}, question_id
        ) as place
    from deduplicated
)

select
    * exclude (first_reason, reason_before_balance, n_yes, n_no, place, fault, fault_detail),
    case
        when reason_before_balance is not null then reason_before_balance
        when gold_kind = 'boolean' and place > {{ var('most_per_rarer_answer') }} * least(n_yes, n_no) then 'balance'
    end as reason,
    case
        when reason_before_balance = fault then fault_detail
        when reason_before_balance = 'missing_values' then round(100 * share_known) || '% of the scope have a value'
        when reason_before_balance is null then n_yes || ' yes and ' || n_no || ' no before balancing'
    end as detail
from counted
