{#- VARCHAR[] of the texts a JSON path finds ('$.P585[*].value'); empty when it finds none. -#}
{% macro json_texts(expr, path) -%}
    {{- adapter.dispatch('json_texts', 'assay')(expr, path) -}}
{%- endmacro %}

{% macro duckdb__json_texts(expr, path) -%}
    json_extract_string({{ expr }}, '{{ path }}')
{%- endmacro %}

{#- JSON text of an object {key: value}, keys sorted, one pair for each row of the group. -#}
{% macro json_object_sorted(key, value, where=none) -%}
    {{- adapter.dispatch('json_object_sorted', 'assay')(key, value, where) -}}
{%- endmacro %}

{% macro duckdb__json_object_sorted(key, value, where) -%}
    '{' || coalesce(
        string_agg(cast(to_json({{ key }}) as varchar) || ': ' || cast(to_json({{ value }}) as varchar), ', ' order by {{ key }})
        {%- if where %} filter (where {{ where }}){% endif %}, '') || '}'
{%- endmacro %}

{#- The text that a JSON path finds ('$.wording'), NULL where it finds none. -#}
{% macro json_text(expr, path) -%}
    {{- adapter.dispatch('json_text', 'assay')(expr, path) -}}
{%- endmacro %}

{% macro duckdb__json_text(expr, path) -%}
    ({{ expr }} ->> '{{ path }}')
{%- endmacro %}
