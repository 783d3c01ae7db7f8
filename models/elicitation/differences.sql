{# Models that were asked and judged alike, two by two; each is drawn once, whomever it is compared with. #}
with comparable as (
    select
        evaluation.evaluation_id,
        experiment.model,
        experiment.setting,
        experiment.prompt,
        {{ stable_id([
            'experiment.setting', 'experiment.prompt', 'experiment.reasoning_effort', 'experiment.scale',
            'experiment.entities_sha', 'evaluation.judge_id', 'evaluation.sample_size', 'evaluation.seed'
        ]) }} as board
    from {{ ref('evaluations') }} as evaluation
    inner join {{ ref('experiments') }} as experiment on evaluation.experiment_id = experiment.experiment_id
    where evaluation.is_current
),

sums as (
    select
        evaluation_id,
        entity_id,
        {%- for direction in ['precision', 'recall'] %}
            count(*) filter (where direction = '{{ direction }}' and verdict = 'entailment') as {{ direction }}_right,
            count(*) filter (where direction = '{{ direction }}' and verdict <> 'error') as {{ direction }}_judged{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ ref('judged_triples') }}
    group by evaluation_id, entity_id
),

-- everybody that any of a board's models has a judged triple of: all of them are drawn alike
entities as (
    select distinct
        comparable.board,
        sums.entity_id
    from comparable
    inner join sums on comparable.evaluation_id = sums.evaluation_id
),

clusters as (
    select
        comparable.board,
        comparable.evaluation_id,
        {%- for sum in ['precision_right', 'precision_judged', 'recall_right', 'recall_judged'] %}
            {{ list_in_order('coalesce(sums.' ~ sum ~ ', 0)', 'entities.entity_id') }} as {{ sum }},
        {%- endfor %}
        count(*) as size
    from comparable
    inner join entities on comparable.board = entities.board
    left join sums on comparable.evaluation_id = sums.evaluation_id and entities.entity_id = sums.entity_id
    group by comparable.board, comparable.evaluation_id
),

{{ places_drawn('clusters') }},

replicates as (
    select
        clusters.board,
        clusters.evaluation_id,
        drawn.replicate,
        {{ sum_at('precision_right', 'places') }} / nullif({{ sum_at('precision_judged', 'places') }}, 0) as p,
        {{ sum_at('recall_right', 'places') }} / nullif({{ sum_at('recall_judged', 'places') }}, 0) as r
    from clusters
    inner join drawn on clusters.size = drawn.size
),

paired as (
    select
        one.board,
        one.evaluation_id as evaluation_a,
        other.evaluation_id as evaluation_b,
        {{ f1_of('one.p', 'one.r') }} - {{ f1_of('other.p', 'other.r') }} as difference
    from replicates as one
    inner join replicates as other
        on one.board = other.board and one.replicate = other.replicate and one.evaluation_id < other.evaluation_id
)

select
    paired.evaluation_a,
    paired.evaluation_b,
    paired.board,
    {{ round_significant('any_value(a.f1) - any_value(b.f1)', 12) }} as f1_difference,
    {{ round_significant(quantile('paired.difference', 0.025), 12) }} as difference_low,
    {{ round_significant(quantile('paired.difference', 0.975), 12) }} as difference_high,
    {{ quantile('paired.difference', 0.025) }} <= 0 and {{ quantile('paired.difference', 0.975) }} >= 0 as tied
from paired
inner join {{ ref('scores') }} as a on paired.evaluation_a = a.evaluation_id and a.slice_kind = 'overall'
inner join {{ ref('scores') }} as b on paired.evaluation_b = b.evaluation_id and b.slice_kind = 'overall'
group by paired.evaluation_a, paired.evaluation_b, paired.board
order by paired.evaluation_a, paired.evaluation_b
