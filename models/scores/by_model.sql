{% set kinds = slice_kinds() %}
with graded as (
    select
        answer.run_id,
        answer.question_id,
        question.topic,
        kinds.slice_kind,
        case kinds.position{% for _, sql in kinds %} when {{ loop.index }} then {{ sql }}{% endfor %} end as slice,
        answer.outcome,
        case kinds.slice_kind when 'yes_no' then 0.5 else coalesce(verdict.chance, 0) end as chance,
        case
            when verdict.scored
                then cast(coalesce(case kinds.slice_kind when 'yes_no' then verdict.yes_no_correct else verdict.correct end, false) as integer)
        end as correct
    from {{ ref('answers') }} as answer
    inner join {{ ref('questions') }} as question on answer.question_id = question.question_id
    left join {{ ref('verdicts') }} as verdict
        on answer.run_id = verdict.run_id and answer.question_id = verdict.question_id and answer.sample = verdict.sample
    cross join (
        values {% for kind, _ in kinds %}({{ loop.index }}, '{{ kind }}'){{ ', ' if not loop.last }}{% endfor %}
    ) as kinds (position, slice_kind)
),

tables as (
    select
        run_id,
        question_id,
        avg({{ share_of('2 * matched', 'predicted + gold') }}) as f1,
        avg({{ share_of('matched', 'predicted') }}) as precision,
        avg({{ share_of('matched', 'gold') }}) as recall,
        sum(matched) as matched,
        sum(predicted) as predicted,
        sum(gold) as gold
    from (
        select
            run_id,
            question_id,
            case when outcome <> 'failed' then coalesce(n_matched, 0) end as matched,
            case when outcome <> 'failed' then coalesce(n_predicted, 0) end as predicted,
            case when outcome <> 'failed' then n_gold end as gold
        from {{ ref('tables') }}
    ) as asked
    group by run_id, question_id
),

by_question as (
    select
        run_id,
        slice_kind,
        slice,
        question_id,
        topic,
        count(*) as n,
        count(correct) as n_scored,
        sum(correct) as n_correct,
        avg(correct) as correct,
        avg(correct) filter (where outcome = 'answered') as correct_answered,
        avg(chance) as chance
    from graded
    where slice is not null
    group by run_id, slice_kind, slice, question_id, topic
),

scored as (select * from by_question where correct is not null),

{{ bootstrap_intervals('scored') }}

select
    asked.run_id,
    asked.slice_kind,
    asked.slice,
    {{ round_significant('avg(asked.correct)', 12) }} as accuracy,
    {{ interval_end('asked.correct', 'max(question_interval.low)', '-') }} as ci_low,
    {{ interval_end('asked.correct', 'max(question_interval.high)', '+') }} as ci_high,
    case when max(asked.n_scored) = 1 then {{ wilson('sum(asked.n_correct)', 'sum(asked.n_scored)', '-') }} end as wilson_low,
    case when max(asked.n_scored) = 1 then {{ wilson('sum(asked.n_correct)', 'sum(asked.n_scored)', '+') }} end as wilson_high,
    {{ round_significant('max(topic_interval.low)', 12) }} as topic_ci_low,
    {{ round_significant('max(topic_interval.high)', 12) }} as topic_ci_high,
    {{ round_significant('avg(asked.correct_answered)', 12) }} as accuracy_answered,
    {{ round_significant('avg(asked.chance)', 12) }} as chance,
    count(*) as n_questions,
    cast(sum(asked.n) as bigint) as n,
    cast(sum(asked.n_scored) as bigint) as n_scored,
    cast(sum(asked.n - asked.n_scored) as bigint) as n_unscored,
    {{ round_significant('avg(tables.f1)', 12) }} as ea_f1,
    {{ round_significant(share_of('2 * sum(tables.matched)', 'sum(tables.predicted) + sum(tables.gold)'), 12) }} as ea_f1_micro,
    {{ round_significant('avg(tables.precision)', 12) }} as ea_precision,
    {{ round_significant('avg(tables.recall)', 12) }} as ea_recall,
    {{ round_significant(share_of('sum(tables.matched)', 'sum(tables.predicted)'), 12) }} as ea_precision_micro,
    {{ round_significant(share_of('sum(tables.matched)', 'sum(tables.gold)'), 12) }} as ea_recall_micro,
    case when asked.slice_kind <> 'yes_no' then cast(count(tables.question_id) as double) / count(*) end as ea_coverage
from by_question as asked
left join tables
    on asked.run_id = tables.run_id and asked.question_id = tables.question_id and asked.slice_kind <> 'yes_no'
left join question_interval on {{ same_slice('asked', 'question_interval') }}
left join topic_interval on {{ same_slice('asked', 'topic_interval') }}
group by asked.run_id, asked.slice_kind, asked.slice
order by asked.run_id, asked.slice_kind, asked.slice
