{%- set keys = 'evaluation_a, evaluation_b' %}
{# Two models, asked and judged alike, over the entities that either has a judged triple of. #}
with comparable as (
    select
        evaluation.evaluation_id,
        experiment.model,
        experiment.setting,
        experiment.prompt,
        {{ stable_id(['experiment.setting', 'experiment.prompt', 'experiment.reasoning_effort', 'experiment.scale', 'experiment.entities_sha', 'evaluation.judge_id', 'evaluation.sample_size', 'evaluation.seed']) }} as board
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

pairs as (
    select
        one.evaluation_id as evaluation_a,
        other.evaluation_id as evaluation_b,
        one.board
    from comparable as one
    inner join comparable as other on one.board = other.board and one.evaluation_id < other.evaluation_id
),

both_sides as (
    select pairs.evaluation_a, pairs.evaluation_b, 'a' as side, sums.* from pairs inner join sums on pairs.evaluation_a = sums.evaluation_id
    union all
    select pairs.evaluation_a, pairs.evaluation_b, 'b' as side, sums.* from pairs inner join sums on pairs.evaluation_b = sums.evaluation_id
),

by_entity as (
    select
        {{ keys }},
        entity_id,
        {%- for side in ['a', 'b'] %}{% set last_side = loop.last %}{% for sum in ['precision_right', 'precision_judged', 'recall_right', 'recall_judged'] %}
            coalesce(sum({{ sum }}) filter (where side = '{{ side }}'), 0) as {{ sum }}_{{ side }}{{ ',' if not (last_side and loop.last) }}
        {%- endfor %}{% endfor %}
    from both_sides
    group by {{ keys }}, entity_id
),

clusters as (
    select
        {{ keys }},
        {%- for side in ['a', 'b'] %}{% for sum in ['precision_right', 'precision_judged', 'recall_right', 'recall_judged'] %}
            {{ list_in_order(sum ~ '_' ~ side, 'entity_id') }} as {{ sum }}_{{ side }},
        {%- endfor %}{% endfor %}
        count(*) as size
    from by_entity
    group by {{ keys }}
),

{{ places_drawn('clusters') }},

replicates as (
    select
        {{ keys }},
        {{ f1_drawn('a') }} - {{ f1_drawn('b') }} as difference
    from clusters
    inner join drawn on clusters.size = drawn.size
)

select
    pairs.evaluation_a,
    pairs.evaluation_b,
    pairs.board,
    {{ round_significant('any_value(a.f1) - any_value(b.f1)', 12) }} as f1_difference,
    {{ round_significant(quantile('replicates.difference', 0.025), 12) }} as difference_low,
    {{ round_significant(quantile('replicates.difference', 0.975), 12) }} as difference_high,
    {{ quantile('replicates.difference', 0.025) }} <= 0 and {{ quantile('replicates.difference', 0.975) }} >= 0 as tied
from pairs
inner join replicates on pairs.evaluation_a = replicates.evaluation_a and pairs.evaluation_b = replicates.evaluation_b
inner join {{ ref('scores') }} as a on pairs.evaluation_a = a.evaluation_id and a.slice_kind = 'overall'
inner join {{ ref('scores') }} as b on pairs.evaluation_b = b.evaluation_id and b.slice_kind = 'overall'
group by pairs.evaluation_a, pairs.evaluation_b, pairs.board
order by pairs.evaluation_a, pairs.evaluation_b
