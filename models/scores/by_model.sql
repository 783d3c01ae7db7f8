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
        end as correct,
        case when kinds.slice_kind <> 'yes_no' and verdict.scored then cast(verdict.entity_correct as integer) end as entity
    from {{ ref('answers') }} as answer
    inner join {{ ref('runs') }} as run on answer.run_id = run.run_id
    inner join {{ ref('question_history') }} as question
        on answer.question_id = question.question_id and run.questions_snapshot_id = question.snapshot_id
    left join {{ ref('verdicts') }} as verdict
        on answer.run_id = verdict.run_id and answer.question_id = verdict.question_id and answer.sample = verdict.sample
    cross join (
        values {% for kind, _ in kinds %}({{ loop.index }}, '{{ kind }}'){{ ', ' if not loop.last }}{% endfor %}
    ) as kinds (position, slice_kind)
),

{{ table_scores() }},

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
        avg(entity) as entity,
        avg(correct * entity) as both_right,
        avg(chance) as chance
    from graded
    where slice is not null
    group by run_id, slice_kind, slice, question_id, topic
),

-- the entity's intervals are drawn beside the answer's, as kinds of slices of their own
scored as (
    select run_id, slice_kind, slice, topic, correct from by_question where correct is not null
    union all
    select run_id, 'entity ' || slice_kind as slice_kind, slice, topic, entity as correct from by_question where entity is not null
),

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
    {{ round_significant('avg(asked.entity)', 12) }} as entity_accuracy,
    {{ interval_end('asked.entity', 'max(entity_interval.low)', '-') }} as entity_ci_low,
    {{ interval_end('asked.entity', 'max(entity_interval.high)', '+') }} as entity_ci_high,
    {{ round_significant('avg(asked.both_right)', 12) }} as both_right,
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
left join question_interval as entity_interval
    on asked.run_id = entity_interval.run_id and asked.slice = entity_interval.slice
        and entity_interval.slice_kind = 'entity ' || asked.slice_kind
left join topic_interval on {{ same_slice('asked', 'topic_interval') }}
group by asked.run_id, asked.slice_kind, asked.slice
order by asked.run_id, asked.slice_kind, asked.slice
