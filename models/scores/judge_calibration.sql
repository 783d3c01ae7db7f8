with judged as (
    select
        run.model,
        run.setting,
        cast(verdict.correct as integer) as by_judge,
        cast(human.is_right as integer) as by_people
    from {{ ref('answer_verdicts') }} as human
    inner join {{ ref('verdicts') }} as verdict
        on human.run_id = verdict.run_id and human.question_id = verdict.question_id and human.sample = verdict.sample
    inner join {{ ref('runs') }} as run on verdict.run_id = run.run_id
    where verdict.scorer = 'judge' and verdict.scored
),

sliced as (
    select 'overall' as slice_kind, 'all' as slice, by_judge, by_people from judged
    union all
    select 'model' as slice_kind, model as slice, by_judge, by_people from judged
    union all
    select 'setting' as slice_kind, setting as slice, by_judge, by_people from judged
),

counted as (
    select
        slice_kind,
        slice,
        count(by_people) as n,
        count(*) - count(by_people) as n_undecided,
        count(*) filter (where by_judge = by_people) as n_agreed,
        count(*) filter (where by_judge = 1 and by_people is not null) as judge_right,
        count(*) filter (where by_people = 1) as people_right,
        count(*) filter (where by_judge > by_people) as n_too_lenient,
        count(*) filter (where by_judge < by_people) as n_too_strict
    from sliced
    group by slice_kind, slice
)

select
    slice_kind,
    slice,
    n,
    n_undecided,
    n_agreed,
    n_too_lenient,
    n_too_strict,
    judge_right as n_right_by_judge,
    people_right as n_right_by_people,
    {{ round_significant('cast(n_agreed as double) / nullif(n, 0)', 12) }} as agreement,
    {{ round_significant(
        cohen_kappa('n', 'n_agreed', '(judge_right * people_right + (n - judge_right) * (n - people_right))'), 12
    ) }} as kappa,
    {{ round_significant(krippendorff_alpha(
        '2 * n', '2 * (n - n_agreed)',
        '((judge_right + people_right) * (judge_right + people_right)'
        ~ ' + (2 * n - judge_right - people_right) * (2 * n - judge_right - people_right))'
    ), 12) }} as alpha
from counted
order by slice_kind, slice
