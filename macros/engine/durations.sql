{#- DOUBLE: whole days from one DATE to a later one. -#}
{% macro days_between(start, stop) -%}
    {{- adapter.dispatch('days_between', 'assay')(start, stop) -}}
{%- endmacro %}

{% macro duckdb__days_between(start, stop) -%}
    cast(date_diff('day', {{ start }}, {{ stop }}) as double)
{%- endmacro %}

{#- DOUBLE: years from one DATE to a later one, to two decimals, a year being 365.2425 days. -#}
{% macro years_between(start, stop) -%}
    round({{ days_between(start, stop) }} / 365.2425, 2)
{%- endmacro %}
