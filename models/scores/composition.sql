{# Every kind that a question can be of, in the order of the table; a kind without a question has a row of zeros. #}
{% set kinds = [
    ('hops', 'one-hop'), ('hops', 'multi-hop'),
    ('categories', 'comparison'), ('categories', 'statistics'), ('categories', 'relationship'),
    ('density', 'low'), ('density', 'medium'), ('density', 'high'),
    ('types', 'intercomparison'), ('types', 'superlative'), ('types', 'aggregation'), ('types', 'distribution_compliance'),
    ('types', 'correlation_analysis'), ('types', 'variance_analysis'), ('types', 'descriptive_relationship'),
    ('types', 'hypothetical_scenarios'),
] %}
{% set sides = {'train': "where split = 'train'", 'test': "where split = 'test'", 'total': 'where true'} %}
with asked as (
    select
        split,
        topic,
        category,
        type,
        density,
        entity_count,
        case when hops = 1 then 'one-hop' else 'multi-hop' end as reach
    from {{ ref('questions') }}
    where family = 'multi_entity'
),

research as (
    select
        question.split,
        question.topic,
        question.category,
        question.template_id,
        hidden.entity_ids,
        hidden.n_entities,
        hidden.n_properties,
        hidden.cci,
        hidden.n_clues,
        hidden.n_chains,
        -- a chain has two hops, any other clue one
        hidden.n_clues + hidden.n_chains as n_hops
    from {{ ref('questions') }} as question
    inner join {{ ref('research_minted') }} as hidden on question.question_id = hidden.question_id
),

kinds (row_order, section, metric) as (
    values
    {% for section, metric in kinds -%}
        ({{ loop.index + 3 }}, '{{ section }}', '{{ metric }}'){{ ',' if not loop.last }}
    {% endfor %}
),

figures as (
    {% for section, figure, metric in [
        ('queries', 'count(*)', 'queries'),
        ('topics', 'count(distinct topic)', 'topics'),
        ('entities', 'avg(entity_count)', 'mean entities per query'),
    ] -%}
        select
            {{ loop.index }} as row_order,
            '{{ section }}' as section,
            '{{ metric }}' as metric,
            {% for side, condition in sides.items() -%}
                {{ figure }} filter ({{ condition }}) as {{ side }}{{ ',' if not loop.last }}
            {% endfor -%}
        from asked

        union all

    {% endfor -%}
    select
        kinds.row_order,
        kinds.section,
        kinds.metric,
        {% for side, condition in sides.items() -%}
            count(asked.topic) filter ({{ condition }}) as {{ side }}{{ ',' if not loop.last }}
        {% endfor -%}
    from kinds
    left join asked on kinds.metric in (asked.reach, asked.category, asked.density, asked.type)
    group by kinds.row_order, kinds.section, kinds.metric
),

{{ research_figures('research', sides, 3 + kinds | length) }}

select
    cast(row_order as integer) as row_order,
    family,
    section,
    metric,
    cast(train as double) as train,
    cast(test as double) as test,
    cast(total as double) as total
from (
    select 'multi_entity' as family, * from figures
    union all
    select 'deep_research' as family, * from research_figures
) as families
order by row_order
