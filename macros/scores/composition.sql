{#- The make-up of the deep-research questions, all together and by domain, as CTEs to follow those of a model; they end in
    research_figures: row_order, section (all domains, or one), metric, and a column for each of `sides`.

    `research` is a CTE with a row a question, `sides` maps a column to its condition, `before` is the place of the last row
    before these. A domain without a question has a row of zeros, and no mean. -#}
{% macro research_figures(research, sides, before) -%}
{%- set metrics = [
    ('questions', 'count(template_id)'), ('templates', 'count(distinct template_id)'), ('topics', 'count(distinct topic)'),
    ('entities', none), ('mean entities per question', 'avg(n_entities)'), ('mean properties per question', 'avg(n_properties)'),
    ('mean complexity', 'avg(cci)'), ('clues per question', 'avg(n_clues)'), ('chains per question', 'avg(n_chains)'),
    ('hops per clue', in_one_order('favg', 'n_hops / n_clues')), ('hops per question', 'avg(n_hops)'),
] -%}
domains (place, domain) as (
    values (0, 'all domains'), (1, 'geophysical'), (2, 'biochemistry'), (3, 'financial'), (4, 'history'), (5, 'security')
),

of_domain as (
    select domains.place, domains.domain, {{ research }}.*
    from domains
    left join {{ research }} on domains.domain in ('all domains', {{ research }}.category)
),

found as (select place, domain, split, {{ list_elements('entity_ids') }} as entity_id from of_domain),

research_figures as (
    {% for metric, figure in metrics -%}
        select
            {{ before + loop.index }} + {{ metrics | length }} * domains.place as row_order,
            domains.domain as section,
            '{{ metric }}' as metric,
            {% for side, condition in sides.items() -%}
                {{ figure if figure else 'count(distinct entity_id)' }} filter ({{ condition }}) as {{ side }}{{ ',' if not loop.last }}
            {% endfor -%}
        from domains
        left join {{ 'of_domain' if figure else 'found' }} as asked on domains.place = asked.place
        group by domains.place, domains.domain
        {{ 'union all' if not loop.last }}
    {% endfor %}
)
{%- endmacro %}
