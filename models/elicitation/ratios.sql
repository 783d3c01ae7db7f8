{%- set keys = 'evaluation_id, slice_kind, slice' %}
with sliced as (
    select
        evaluation_id,
        kinds.slice_kind,
        {{ slice_of_triple() }} as slice,
        entity_id,
        direction,
        verdict,
        method
    from {{ ref('judged_triples') }}
    cross join (values ({{ triple_slices() | join('), (') }})) as kinds (slice_kind)
),

by_entity as (
    select
        {{ keys }},
        entity_id,
        {%- for direction in ['precision', 'recall'] %}
            count(*) filter (where direction = '{{ direction }}' and verdict = 'entailment') as {{ direction }}_right,
            count(*) filter (where direction = '{{ direction }}' and verdict <> 'error') as {{ direction }}_judged,
            count(*) filter (where direction = '{{ direction }}') as {{ direction }}_n,
        {%- endfor %}
        count(*) filter (where direction = 'precision' and verdict = 'entailment' and method = 'judge') as entailed_by_judge,
        count(*) filter (where direction = 'precision' and verdict <> 'error' and method = 'judge') as said_by_judge
    from sliced
    where slice is not null
    group by {{ keys }}, entity_id
),

{{ cluster_intervals('by_entity', keys) }},

summed as (
    select
        {{ keys }},
        {%- for direction in ['precision', 'recall'] %}
            cast(sum({{ direction }}_right) as bigint) as {{ direction }}_right,
            cast(sum({{ direction }}_judged) as bigint) as {{ direction }}_judged,
            cast(sum({{ direction }}_n) as bigint) as {{ direction }}_n,
            count(*) filter (where {{ direction }}_judged > 0) as {{ direction }}_entities,
        {%- endfor %}
        cast(sum(entailed_by_judge) as bigint) as entailed_by_judge,
        cast(sum(said_by_judge) as bigint) as said_by_judge,
        count(*) as n_entities
    from by_entity
    group by {{ keys }}
)

select
    summed.*,
    {%- for direction in ['precision', 'recall'] %}
        {{ ratio_of(direction) }} as {{ direction }},
        {{ ratio_end(direction, '-') }} as {{ direction }}_low,
        {{ ratio_end(direction, '+') }} as {{ direction }}_high,
    {%- endfor %}
    cluster_interval.f1_low,
    cluster_interval.f1_high
from summed
inner join cluster_interval
    on summed.evaluation_id = cluster_interval.evaluation_id and summed.slice_kind = cluster_interval.slice_kind
        and summed.slice = cluster_interval.slice
order by summed.evaluation_id, summed.slice_kind, summed.slice
