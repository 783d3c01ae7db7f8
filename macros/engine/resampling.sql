{#- What drawing with replacement needs of an engine. A place counts from 1. -#}

{#- One row per whole number from 0 up to, not including, `stop`: a select-list expression. -#}
{% macro whole_numbers(stop) -%}
    {{- adapter.dispatch('whole_numbers', 'assay')(stop) -}}
{%- endmacro %}

{% macro duckdb__whole_numbers(stop) -%}
    unnest(range({{ stop }}))
{%- endmacro %}

{#- An aggregate: the list of the group's values in the order of another expression. -#}
{% macro list_in_order(expr, by) -%}
    {{- adapter.dispatch('list_in_order', 'assay')(expr, by) -}}
{%- endmacro %}

{% macro duckdb__list_in_order(expr, by) -%}
    list({{ expr }} order by {{ by }})
{%- endmacro %}

{#- The first `size` numbers of a list, each a DOUBLE in [0, 1), as places in a list of that size. -#}
{% macro places(draws, size) -%}
    {{- adapter.dispatch('places', 'assay')(draws, size) -}}
{%- endmacro %}

{% macro duckdb__places(draws, size) -%}
    list_transform(({{ draws }})[1:{{ size }}], lambda u: 1 + cast(floor(u * {{ size }}) as bigint))
{%- endmacro %}

{#- The sum of a list's elements at these places, each as often as it is among them. -#}
{% macro sum_at(list, places) -%}
    {{- adapter.dispatch('sum_at', 'assay')(list, places) -}}
{%- endmacro %}

{% macro duckdb__sum_at(list, places) -%}
    list_sum(list_select({{ list }}, {{ places }}))
{%- endmacro %}

{#- An aggregate: the value that a share of the group stays below, by linear interpolation. -#}
{% macro quantile(expr, share) -%}
    {{- adapter.dispatch('quantile', 'assay')(expr, share) -}}
{%- endmacro %}

{% macro duckdb__quantile(expr, share) -%}
    quantile_cont({{ expr }}, {{ share }})
{%- endmacro %}

{#- Natural logarithm of the gamma function. -#}
{% macro log_gamma(expr) -%}
    {{- adapter.dispatch('log_gamma', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__log_gamma(expr) -%}
    lgamma({{ expr }})
{%- endmacro %}
