with majority as (
    select
        verdict.run_id,
        verdict.question_id,
        run.snapshot_id,
        question.family,
        avg(cast(verdict.correct as integer)) > 0.5 as is_correct
    from {{ ref('verdicts') }} as verdict
    inner join {{ ref('runs') }} as run on verdict.run_id = run.run_id
    inner join {{ ref('question_history') }} as question
        on verdict.question_id = question.question_id and run.questions_snapshot_id = question.snapshot_id
    where verdict.scored
    group by verdict.run_id, verdict.question_id, run.snapshot_id, question.family
),

pairs as (
    select
        one.run_id as run_a,
        other.run_id as run_b,
        one.family,
        one.snapshot_id,
        count(*) as n_questions,
        count(*) filter (where one.is_correct and not other.is_correct) as b,
        count(*) filter (where other.is_correct and not one.is_correct) as c
    from majority as one
    inner join majority as other
        on one.question_id = other.question_id and one.snapshot_id = other.snapshot_id and one.run_id < other.run_id
    group by one.run_id, other.run_id, one.family, one.snapshot_id
),

-- the binomial's lower tail up to the rarer side, once for each pair of counts
tails as (
    select
        b,
        c,
        least(1, 2 * sum(exp({{ log_binomial_half('(b + c)', 'k') }}))) as p_value
    from (
        select
            b,
            c,
            {{ whole_numbers('least(b, c) + 1') }} as k
        from (select distinct b, c from pairs) as counts
    ) as terms
    group by b, c
),

tested as (
    select
        pairs.*,
        {{ round_significant('tails.p_value', 12) }} as p_value
    from pairs
    inner join tails on pairs.b = tails.b and pairs.c = tails.c
),

ranked as (
    select
        *,
        count(*) over (partition by family, snapshot_id) as m,
        row_number() over (partition by family, snapshot_id order by p_value, run_a, run_b) as place
    from tested
),

corrected as (
    select
        *,
        {{ round_significant('max(least(1, (m - place + 1) * p_value)) over (partition by family, snapshot_id order by place)', 12) }} as p_holm
    from ranked
)

select
    run_a,
    run_b,
    family,
    snapshot_id,
    n_questions,
    b,
    c,
    p_value,
    p_holm,
    p_holm >= 0.05 as tied
from corrected
order by run_a, run_b
