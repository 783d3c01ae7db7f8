{#- DATE written as 2024-06-30, NULL where it is none. -#}
{% macro text_to_date(expr) -%}
    {{- adapter.dispatch('text_to_date', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__text_to_date(expr) -%}
    try_cast({{ expr }} as date)
{%- endmacro %}

{#- DATE of a Julian day number: 2451545 is 1 January 2000. -#}
{% macro date_from_day_number(expr) -%}
    {{- adapter.dispatch('date_from_day_number', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__date_from_day_number(expr) -%}
    (date '2000-01-01' + cast({{ expr }} - 2451545 as integer))
{%- endmacro %}

{#- A year of the common era in four digits, as a landed time has it. -#}
{% macro padded_year(expr) -%}
    {{- adapter.dispatch('padded_year', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__padded_year(expr) -%}
    printf('%04d', cast({{ expr }} as bigint))
{%- endmacro %}
