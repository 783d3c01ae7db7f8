{#- The given group of a regular expression's first match, '' where there is none, NULL for NULL. -#}
{% macro regex_group(expr, pattern, group) -%}
    {{- adapter.dispatch('regex_group', 'assay')(expr, pattern, group) -}}
{%- endmacro %}

{% macro duckdb__regex_group(expr, pattern, group) -%}
    regexp_extract({{ expr }}, '{{ pattern }}', {{ group }})
{%- endmacro %}

{% macro regex_matches(expr, pattern) -%}
    {{- adapter.dispatch('regex_matches', 'assay')(expr, pattern) -}}
{%- endmacro %}

{% macro duckdb__regex_matches(expr, pattern) -%}
    regexp_matches({{ expr }}, '{{ pattern }}')
{%- endmacro %}
