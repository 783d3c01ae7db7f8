{#- How many files match a pattern; runs a query. -#}
{% macro files_matching(pattern) -%}
    {{- return(adapter.dispatch('files_matching', 'assay')(pattern)) -}}
{%- endmacro %}

{% macro duckdb__files_matching(pattern) -%}
    {%- set found = run_query("select count(*) as files from glob('" ~ pattern | replace("'", "''") ~ "')") -%}
    {{- return(found.columns[0].values()[0] | int) -}}
{%- endmacro %}

{#- The texts of one column of a CSV file, in its order; runs a query. -#}
{% macro csv_column(path, column) -%}
    {{- return(adapter.dispatch('csv_column', 'assay')(path, column)) -}}
{%- endmacro %}

{% macro duckdb__csv_column(path, column) -%}
    {%- set found = run_query("select " ~ column ~ " from read_csv('" ~ path | replace("'", "''") ~ "', all_varchar = true)") -%}
    {{- return(found.columns[0].values()) -}}
{%- endmacro %}
