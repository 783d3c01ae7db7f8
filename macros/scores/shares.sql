{#- part / whole as a DOUBLE: 0 for a part of nothing (a table without tuples has precision 0), NULL for an unknown part. -#}
{% macro share_of(part, whole) -%}
    case when ({{ part }}) is not null then coalesce(cast({{ part }} as double) / nullif({{ whole }}, 0), 0) end
{%- endmacro %}
