{#- How many files match a pattern; runs a query. -#}
{% macro files_matching(pattern) -%}
    {{- return(adapter.dispatch('files_matching', 'assay')(pattern)) -}}
{%- endmacro %}

{% macro duckdb__files_matching(pattern) -%}
    {%- set found = run_query("select count(*) as files from glob('" ~ pattern | replace("'", "''") ~ "')") -%}
    {{- return(found.columns[0].values()[0] | int) -}}
{%- endmacro %}
