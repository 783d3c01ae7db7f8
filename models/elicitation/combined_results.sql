{# One line for each experiment and judge as a whole, and one for each domain; of several evaluations the newest. #}
with boards as (
    select
        evaluation_id,
        1 + count(*) filter (where is_beaten) as tie_group
    from (
        select
            evaluation_a as evaluation_id,
            not tied and f1_difference < 0 as is_beaten
        from {{ ref('differences') }}
        union all
        select
            evaluation_b as evaluation_id,
            not tied and f1_difference > 0 as is_beaten
        from {{ ref('differences') }}
    ) as sides
    group by evaluation_id
),

made_up as (
    select
        model,
        prompt,
        max(hallucination_rate) as hallucination_rate
    from {{ ref('hallucinations') }}
    group by model, prompt
    having count(*) = 1
)

select
    score.model,
    score.setting,
    case when score.slice_kind = 'domain' then score.slice end as domain,
    score.f1 as entailment_f1,
    score.precision as entailment_precision,
    score.recall as entailment_recall,
    score.prompt,
    score.reasoning_effort,
    score.scale,
    score.judge,
    score.judge_agreement,
    score.corrected_precision,
    case when score.slice_kind = 'overall' then coalesce(boards.tie_group, 1) end as tie_group,
    made_up.hallucination_rate,
    score.experiment_id,
    score.evaluation_id
from {{ ref('scores') }} as score
left join boards on score.evaluation_id = boards.evaluation_id
left join made_up on score.model = made_up.model and score.prompt = made_up.prompt
where score.is_current and score.slice_kind in ('overall', 'domain')
order by score.model, score.setting, score.prompt, score.reasoning_effort, score.scale, domain nulls first, score.evaluation_id
