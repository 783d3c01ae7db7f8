{#- An expression that ends the query with this sentence when it is evaluated. -#}
{% macro fail(sentence) -%}
    {{- adapter.dispatch('fail', 'assay')(sentence) -}}
{%- endmacro %}

{% macro duckdb__fail(sentence) -%}
    error({{ literal(sentence) }})
{%- endmacro %}
