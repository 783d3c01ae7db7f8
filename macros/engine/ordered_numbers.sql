{#- An aggregate: DOUBLE[] of the group's numbers, the smallest first. What is read off it is the same on every run. -#}
{% macro sorted_numbers(expr) -%}
    {{- adapter.dispatch('sorted_numbers', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__sorted_numbers(expr) -%}
    list({{ expr }} order by {{ expr }})
{%- endmacro %}

{#- One number about such a list, which has at least one element: 'count', 'distinct' (how many differ), 'lowest',
    'highest', 'median', and 'sum' and 'mean' by compensated summation. -#}
{% macro of_numbers(what, numbers) -%}
    {{- adapter.dispatch('of_numbers', 'assay')(what, numbers) -}}
{%- endmacro %}

{% macro duckdb__of_numbers(what, numbers) -%}
    {%- if what == 'count' -%} len({{ numbers }})
    {%- elif what == 'distinct' -%} cast(list_unique({{ numbers }}) as bigint)
    {%- elif what == 'lowest' -%} {{ numbers }}[1]
    {%- elif what == 'highest' -%} {{ numbers }}[-1]
    {%- elif what == 'median' -%} list_aggregate({{ numbers }}, 'median')
    {%- else -%} list_aggregate({{ numbers }}, '{{ {"sum": "fsum", "mean": "favg"}[what] }}')
    {%- endif -%}
{%- endmacro %}

{#- Mean of the powers of the distances from `centre`: with 2 the variance of the list as a population. -#}
{% macro central_moment(numbers, centre, power) -%}
    {{- adapter.dispatch('central_moment', 'assay')(numbers, centre, power) -}}
{%- endmacro %}

{% macro duckdb__central_moment(numbers, centre, power) -%}
    list_aggregate(list_transform({{ numbers }}, lambda x: power(x - {{ centre }}, {{ power }})), 'favg')
{%- endmacro %}
