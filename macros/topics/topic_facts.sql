{#- The best values of a topic's entities in long form, one row per (entity, path, value); an entity without values keeps one row.
    classes: members are instances of any of these. hops: properties to follow one step further, giving paths such as 'P17/P1082'.
    least_sitelinks: pages in so many wikis. Entities without a label are left out: no question can name them. -#}
{% macro topic_facts(classes, hops=[], least_sitelinks=0) -%}
    {%- set wanted = wanted_facts(graph.nodes.get(model.unique_id) if execute) -%}
    (
        with members as (
            select
                entity_id,
                label
            from {{ ref('entities') }}
            where label is not null and {{ list_has_any_text('classes', classes) }}
                {%- if least_sitelinks %} and sitelinks >= {{ least_sitelinks }}{% endif %}
        ),

        own as (
            select
                members.entity_id,
                members.label,
                best_values.property_id as path,
                best_values.value_entity as hop_entity_id,
                {{ fact_columns('best_values') }}
            from members
            left join {{ ref('best_values') }} as best_values
                on members.entity_id = best_values.subject_id {{ and_wanted('best_values.property_id', wanted.properties) }}
        ),

        reached as (
            select
                own.entity_id,
                own.label,
                own.path || '/' || best_values.property_id as path,
                best_values.value_entity as hop_entity_id,
                {{ fact_columns('best_values') }}
            from own
            inner join {{ ref('best_values') }} as best_values on own.hop_entity_id = best_values.subject_id
            where
                own.path in ('{{ hops | join("', '") }}')
                {{ and_wanted("own.path || '/' || best_values.property_id", wanted.paths) }}
        ),

        both_steps as (
            select * from own
            union all
            select * from reached
        ),

        conversions as (
            select
                from_unit,
                {{ map_of_pairs('to_unit', 'factor', 'addend') }} as unit_conversions
            from {{ ref('unit_conversions') }}
            group by from_unit
        )

        select
            both_steps.*,
            coalesce(value_entities.label, both_steps.value_text) as value_name,
            conversions.unit_conversions
        from both_steps
        left join {{ ref('entities') }} as value_entities on both_steps.hop_entity_id = value_entities.entity_id
        left join conversions
            on both_steps.value_kind = 'quantity' and coalesce(both_steps.unit_id, 'Q199') = conversions.from_unit
    ) as topic_facts
{%- endmacro %}

{#- The properties and two-step paths that a topic's meta.source asks for; P31 comes with every entity. Both are empty, for
    no restriction, where there is no such meta. A country has sixty properties: a city that asks for two should not carry all. -#}
{% macro wanted_facts(node) -%}
    {%- set source = node.config.meta.get('source', {}) if node else {} -%}
    {%- set properties = (source.get('properties', []) + source.get('hops', {}).keys() | list + ['P31']) if source else [] -%}
    {%- set paths = [] -%}
    {%- for first, seconds in source.get('hops', {}).items() -%}
        {%- for second in seconds + ['P31'] -%}
            {%- do paths.append(first ~ '/' ~ second) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{- return({'properties': properties | unique | list, 'paths': paths | unique | list}) -}}
{%- endmacro %}

{% macro and_wanted(expr, wanted) -%}
    {%- if wanted -%}
        and {{ expr }} in ('{{ wanted | join("', '") }}')
    {%- endif -%}
{%- endmacro %}

{% macro fact_columns(table) -%}
    {%- for column in [
        'value_kind', 'value_text', 'value_lang', 'value_num', 'unit_id', 'value_canonical', 'unit_canonical', 'value_year',
        'value_date', 'time_precision', 'latitude', 'longitude', 'point_in_time', 'rounding_canonical', 'statement_id',
    ] -%}
        {{ table }}.{{ column }}{{ ', ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}
