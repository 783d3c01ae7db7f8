{#- A continued fraction from its last level to its first, DOUBLE: `step` gives a level of the number `level` from the
    value `below` of those under it, beginning with `start`. -#}
{% macro continued_fraction(levels, step, start) -%}
    {{- adapter.dispatch('continued_fraction', 'assay')(levels, step, start) -}}
{%- endmacro %}

{% macro duckdb__continued_fraction(levels, step, start) -%}
    list_reduce(cast(range({{ levels }}, 0, -1) as double[]), lambda below, level: {{ step }}, cast({{ start }} as double))
{%- endmacro %}

{#- The sum of `term` over `k` = 0, 1, ... up to, not including, `stop`, DOUBLE. -#}
{% macro series_sum(stop, term) -%}
    {{- adapter.dispatch('series_sum', 'assay')(stop, term) -}}
{%- endmacro %}

{% macro duckdb__series_sum(stop, term) -%}
    list_sum(list_transform(cast(range({{ stop }}) as double[]), lambda k: {{ term }}))
{%- endmacro %}
