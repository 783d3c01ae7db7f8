with selected as (
    select
        diversity.embedder,
        diversity.threshold,
        diversity.comparison,
        diversity.is_diverse,
        diversity.n_near,
        question.category as domain,
        question.type,
        question.split
    from {{ ref('diversity') }} as diversity
    inner join {{ ref('questions') }} as question on diversity.question_id = question.question_id
),

sliced as (
    {% for kind, slice in {'overall': "'all'", 'domain': 'domain', 'type': 'type', 'split': 'split'}.items() -%}
        select
            embedder,
            threshold,
            comparison,
            '{{ kind }}' as slice_kind,
            {{ slice }} as slice,
            is_diverse,
            n_near
        from selected
        {% if not loop.last -%} union all {%- endif %}
    {% endfor %}
)

select
    embedder,
    threshold,
    comparison,
    slice_kind,
    slice,
    count(*) as n_questions,
    count(*) filter (where is_diverse) as n_diverse,
    cast(count(*) filter (where is_diverse) as double) / count(*) as diverse_share,
    cast(sum(n_near) as double) / 2 as n_pairs
from sliced
group by embedder, threshold, comparison, slice_kind, slice
order by embedder, threshold, comparison, slice_kind, slice
