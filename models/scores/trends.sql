{# Trends are over questions: each counts once, with its mean over samples. Cells of equal complexity and equal value keep the
   comparison of all pairs small, and their counts keep it exact. #}
{% set slice = 'run_id, measure' %}
with questions as (
    select
        verdict.run_id,
        verdict.question_id,
        question.cci,
        avg(cast(verdict.correct as integer)) as answer,
        avg(cast(verdict.entity_correct as integer)) as entity,
        avg(cast(verdict.correct and verdict.entity_correct as integer)) filter (where verdict.entity_correct is not null) as both_right
    from {{ ref('verdicts') }} as verdict
    inner join {{ ref('runs') }} as run on verdict.run_id = run.run_id
    inner join {{ ref('question_history') }} as question
        on verdict.question_id = question.question_id and run.questions_snapshot_id = question.snapshot_id
    where verdict.scored and question.cci is not null
    group by verdict.run_id, verdict.question_id, question.cci
),

measured as (
    {% for measure in ('answer', 'entity', 'both_right') -%}
        select
            run_id,
            '{{ measure }}' as measure,
            cci,
            {{ measure }} as value
        from questions
        where {{ measure }} is not null
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

ranked as (
    select
        {{ slice }},
        {{ average_rank('cci', slice) }} as cci_rank,
        {{ average_rank('value', slice) }} as value_rank
    from measured
),

spearman as (
    select {{ slice }}, {{ in_one_order('corr', ['cci_rank', 'value_rank']) }} as rho
    from ranked
    group by {{ slice }}
    having count(distinct cci_rank) > 1 and count(distinct value_rank) > 1
),

cells as (
    select {{ slice }}, cci, value, cast(count(*) as double) as n
    from measured
    group by {{ slice }}, cci, value
),

ordered as (
    select
        lower.run_id,
        lower.measure,
        sum(lower.n * higher.n * case when lower.value < higher.value then 1.0 when lower.value = higher.value then 0.5 else 0.0 end) as j
    from cells as lower
    inner join cells as higher on lower.run_id = higher.run_id and lower.measure = higher.measure and lower.cci < higher.cci
    group by lower.run_id, lower.measure
),

levels as ({{ size_sums('cells', slice, 'cci') }}),

ties as ({{ size_sums('cells', slice, 'value') }}),

tested as (
    select
        levels.run_id,
        levels.measure,
        cast(levels.total as bigint) as n_questions,
        levels.n_sizes as n_levels,
        ordered.j,
        {{ jonckheere_expected('levels') }} as expected,
        {{ jonckheere_z('ordered.j', 'levels', 'ties') }} as z,
        {{ round_significant('spearman.rho', 12) }} as rho
    from levels
    inner join ties on levels.run_id = ties.run_id and levels.measure = ties.measure
    left join ordered on levels.run_id = ordered.run_id and levels.measure = ordered.measure
    left join spearman on levels.run_id = spearman.run_id and levels.measure = spearman.measure
)

select
    run_id,
    measure,
    n_questions,
    n_levels,
    j as jonckheere_j,
    case when j is not null then expected end as jonckheere_expected,
    {{ round_significant('z', 12) }} as jonckheere_z,
    -- where all answers are alike nothing is tested; least() would take the 1
    case when z is not null then {{ round_significant('least(1, 2 * ' ~ normal_upper('abs(z)') ~ ')', 9) }} end as jonckheere_p,
    {{ round_significant(normal_upper('(-z)'), 9) }} as jonckheere_p_decreasing,
    rho as spearman_rho,
    {{ round_significant(correlation_p('rho', 'n_questions'), 9) }} as spearman_p
from tested
order by run_id, measure
