{# Who says nothing that can be read is not counted as wrong, but beside. #}
with answered as (
    select
        landed.judge_id,
        landed.judge,
        example.label,
        landed.verdict
    from {{ ref('stg_elicitation__judge_answers') }} as landed
    inner join {{ ref('judge_examples') }} as example on landed.example_id = example.example_id
),

counted as (
    select
        judge_id,
        min(judge) as judge,
        count(*) filter (where verdict <> 'error') as n,
        count(*) filter (where verdict = 'error') as n_error,
        count(*) filter (where verdict = label) as n_agreed,
        {%- for label in ['entailment', 'contradiction', 'neutral'] %}
            count(*) filter (where label = '{{ label }}' and verdict <> 'error') as n_{{ label }},
            count(*) filter (where label = '{{ label }}' and verdict = label) as n_{{ label }}_right,
            count(*) filter (where verdict = '{{ label }}') as said_{{ label }},
        {%- endfor %}
        count(*) filter (where label <> 'entailment' and verdict not in ('entailment', 'error')) as n_others_right
    from answered
    group by judge_id
)

select
    judge_id,
    judge,
    n,
    n_error,
    {{ round_significant(share_of('n_agreed', 'n'), 12) }} as agreement,
    {{ wilson('n_agreed', 'n', '-') }} as agreement_low,
    {{ wilson('n_agreed', 'n', '+') }} as agreement_high,
    {{ round_significant(cohen_kappa(
        'n', 'n_agreed',
        '(n_entailment * said_entailment + n_contradiction * said_contradiction + n_neutral * said_neutral)'
    ), 12) }} as kappa,
    n_entailment,
    n_contradiction,
    n_neutral,
    {{ round_significant(share_of('n_entailment_right', 'n_entailment'), 12) }} as sensitivity,
    {{ round_significant(share_of('n_others_right', 'n_contradiction + n_neutral'), 12) }} as specificity,
    {{ round_significant(share_of('n_contradiction_right', 'n_contradiction'), 12) }} as contradiction_recall,
    {{ round_significant(share_of('n_neutral_right', 'n_neutral'), 12) }} as neutral_recall
from counted
where n > 0
order by judge_id
