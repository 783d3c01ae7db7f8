{%- set z = 1.959963984540054 %}
{# What the judge decides hangs together within an entity: so many independent triples would be as uncertain as the bootstrap says. #}
with counted as (
    select
        ratios.*,
        evaluation.experiment_id,
        evaluation.judge_id,
        evaluation.judge,
        evaluation.is_current,
        {{ f1_of('ratios.precision', 'ratios.recall') }} as f1,
        cast(ratios.entailed_by_judge as double) / nullif(ratios.said_by_judge, 0) as share_by_judge,
        cast(ratios.said_by_judge as double) / nullif(ratios.precision_judged, 0) as judged_share,
        ratios.said_by_judge / greatest(1, coalesce(
            ratios.precision_judged * power((ratios.precision_high - ratios.precision_low) / {{ 2 * z }}, 2)
            / nullif(ratios.precision * (1 - ratios.precision), 0),
            1
        )) as independent
    from {{ ref('ratios') }} as ratios
    inner join {{ ref('evaluations') }} as evaluation on ratios.evaluation_id = evaluation.evaluation_id
),

corrected as (
    select
        counted.*,
        agreement.agreement as judge_agreement,
        agreement.n as judge_examples,
        {{ rogan_gladen('counted.share_by_judge', 'agreement.sensitivity', 'agreement.specificity') }} as truly,
        {%- for end, sign in [('low', '-'), ('high', '+')] %}
            {{ lang_reiczigel(
                'counted.share_by_judge', 'counted.independent', 'agreement.sensitivity', 'agreement.n_entailment',
                'agreement.specificity', '(agreement.n_contradiction + agreement.n_neutral)', sign
            ) }} as truly_{{ end }}{{ ',' if not loop.last }}
        {%- endfor %}
    from counted
    left join {{ ref('judge_agreement') }} as agreement on counted.judge_id = agreement.judge_id
)

select
    corrected.evaluation_id,
    corrected.experiment_id,
    experiment.model,
    experiment.setting,
    experiment.prompt,
    experiment.reasoning_effort,
    experiment.scale,
    corrected.judge,
    corrected.is_current,
    corrected.slice_kind,
    corrected.slice,
    {%- for name in ['precision', 'precision_low', 'precision_high', 'recall', 'recall_low', 'recall_high', 'f1'] %}
        {{ round_significant('corrected.' ~ name, 12) }} as {{ name }},
    {%- endfor %}
    -- where every draw is the same, the ends of what it is made of
    {{ round_significant(
        'case when corrected.f1 = 1 then ' ~ f1_of('corrected.precision_low', 'corrected.recall_low') ~ ' else corrected.f1_low end', 12
    ) }} as f1_low,
    {{ round_significant(
        'case when corrected.f1 = 0 then ' ~ f1_of('corrected.precision_high', 'corrected.recall_high') ~ ' else corrected.f1_high end', 12
    ) }} as f1_high,
    {{ round_significant('cast(corrected.precision_right as double) / nullif(corrected.precision_n, 0)', 12) }} as precision_with_errors,
    {{ round_significant('cast(corrected.recall_right as double) / nullif(corrected.recall_n, 0)', 12) }} as recall_with_errors,
    {%- for name in ['truly', 'truly_low', 'truly_high'] %}
        {{ round_significant(
            'case when corrected.said_by_judge = 0 then corrected.precision else 1 - corrected.judged_share'
            ~ ' + corrected.judged_share * corrected.' ~ name ~ ' end', 12
        ) }} as {{ name | replace('truly', 'corrected_precision') }},
    {%- endfor %}
    {{ round_significant('corrected.judge_agreement', 12) }} as judge_agreement,
    corrected.judge_examples,
    corrected.precision_n + corrected.recall_n as n_triples,
    corrected.precision_n as n_precision,
    corrected.recall_n as n_recall,
    corrected.n_entities,
    corrected.precision_n - corrected.precision_judged + corrected.recall_n - corrected.recall_judged as n_error
from corrected
inner join {{ ref('experiments') }} as experiment on corrected.experiment_id = experiment.experiment_id
order by corrected.evaluation_id, corrected.slice_kind, corrected.slice
