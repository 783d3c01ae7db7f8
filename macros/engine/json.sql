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

{#- JSON in which every landed time, such as "1963-11-22T00:00:00Z", is so many years earlier, from the year 1000 on. From the
    earliest year to the latest, so that none is met again as what another one became. -#}
{% macro json_years_earlier(expr, years) -%}
    {{- adapter.dispatch('json_years_earlier', 'assay')(expr, years) -}}
{%- endmacro %}

{% macro duckdb__json_years_earlier(expr, years) -%}
    cast(list_reduce(
        list_prepend(
            cast({{ expr }} as varchar),
            list_sort(list_distinct(regexp_extract_all(cast({{ expr }} as varchar), '"([1-9][0-9]{3})-[0-9]{2}-[0-9]{2}T', 1)))
        ),
        lambda text, found: replace(text, '"' || found || '-', '"' || {{ padded_year('cast(found as integer) - ' ~ years) }} || '-')
    ) as json)
{%- endmacro %}
