{#- The elements of a VARCHAR[] in one text, separated by commas; NULL for NULL. -#}
{% macro list_joined(expr) -%}
    {{- adapter.dispatch('list_joined', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__list_joined(expr) -%}
    array_to_string({{ expr }}, ', ')
{%- endmacro %}
