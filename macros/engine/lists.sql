{#- VARCHAR[] of the distinct values, sorted; NULL when there are none. `where` filters the rows. -#}
{% macro list_agg_sorted(expr, where=none) -%}
    {{- adapter.dispatch('list_agg_sorted', 'assay')(expr, where) -}}
{%- endmacro %}

{% macro duckdb__list_agg_sorted(expr, where) -%}
    list(distinct {{ expr }} order by {{ expr }}) filter (where {{ expr }} is not null{% if where %} and {{ where }}{% endif %})
{%- endmacro %}

{#- One row per element: a select-list expression. -#}
{% macro list_elements(expr) -%}
    {{- adapter.dispatch('list_elements', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__list_elements(expr) -%}
    unnest({{ expr }})
{%- endmacro %}

{#- Whether the list holds any of the given texts. -#}
{% macro list_has_any_text(expr, texts) -%}
    {{- adapter.dispatch('list_has_any_text', 'assay')(expr, texts) -}}
{%- endmacro %}

{% macro duckdb__list_has_any_text(expr, texts) -%}
    list_has_any({{ expr }}, ['{{ texts | join("', '") }}'])
{%- endmacro %}

{#- The largest element of a list, NULL for an empty one. -#}
{% macro list_largest(expr) -%}
    {{- adapter.dispatch('list_largest', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__list_largest(expr) -%}
    list_max({{ expr }})
{%- endmacro %}

{#- The texts of a group's rows in the order of `by`, one after the other with `separator` between. -#}
{% macro joined_rows(expr, separator, by) -%}
    {{- adapter.dispatch('joined_rows', 'assay')(expr, separator, by) -}}
{%- endmacro %}

{% macro duckdb__joined_rows(expr, separator, by) -%}
    string_agg({{ expr }}, '{{ separator }}' order by {{ by }})
{%- endmacro %}

{#- VARCHAR[] of a group's rows in the order of `by`. -#}
{% macro list_agg_ordered(expr, by) -%}
    {{- adapter.dispatch('list_agg_ordered', 'assay')(expr, by) -}}
{%- endmacro %}

{% macro duckdb__list_agg_ordered(expr, by) -%}
    list({{ expr }} order by {{ by }})
{%- endmacro %}
