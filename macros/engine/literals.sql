{#- A Jinja value as an SQL literal: none, truth values, numbers and texts. -#}
{% macro literal(value) -%}
    {%- if value is none or value is undefined -%}
        null
    {%- elif value is boolean -%}
        {{- 'true' if value else 'false' -}}
    {%- elif value is number -%}
        {{- value -}}
    {%- else -%}
        '{{- value | string | replace("'", "''") -}}'
    {%- endif -%}
{%- endmacro %}

{#- A table of literals: `columns` maps each name to its type, `rows` are mappings with these keys. Works without any row. -#}
{% macro literal_table(columns, rows) -%}
    {{- adapter.dispatch('literal_table', 'assay')(columns, rows) -}}
{%- endmacro %}

{#- One JSON text instead of a SELECT per row: rendering and planning thousands of literals takes seconds. -#}
{% macro duckdb__literal_table(columns, rows) -%}
select unnest(
    from_json({{ literal(tojson(rows)) }}, {{ literal(tojson([columns])) }}),
    recursive := true
)
{%- endmacro %}
