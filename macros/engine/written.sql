{#- DOUBLE[] of the numbers that a text holds, without signs: '21,300', '21_300', '2.13e4' and '21300.0' are one of them. -#}
{% macro numbers_in(text) -%}
    {{- adapter.dispatch('numbers_in', 'assay')(text) -}}
{%- endmacro %}

{% macro duckdb__numbers_in(text) -%}
    list_transform(
        regexp_extract_all({{ text }}, '\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?(?:[eE][-+]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?'),
        lambda found: try_cast(replace(replace(found, ',', ''), '_', '') as double)
    )
{%- endmacro %}

{#- Whether one of a DOUBLE[] is a value to within `tolerance`, a share; with `shifted` also where the point stands elsewhere. -#}
{% macro has_number(numbers, value, tolerance, shifted) -%}
    {{- adapter.dispatch('has_number', 'assay')(numbers, value, tolerance, shifted) -}}
{%- endmacro %}

{% macro duckdb__has_number(numbers, value, tolerance, shifted) -%}
    len(list_filter({{ numbers }}, lambda found: case
        when {{ value }} = 0 or found = 0 then found = {{ value }}
        when {{ shifted }} then abs(log10(found / abs({{ value }})) - round(log10(found / abs({{ value }})))) <= log10(1 + {{ tolerance }})
        else abs(found / abs({{ value }}) - 1) <= {{ tolerance }}
    end)) > 0
{%- endmacro %}

{#- Whether a text holds a DATE: 1896-04-03, 3 April 1896, April 3, 1896, or the year, month and day of a call. -#}
{% macro has_date(text, value) -%}
    {{- adapter.dispatch('has_date', 'assay')(text, value) -}}
{%- endmacro %}

{% macro duckdb__has_date(text, value) -%}
    (
        {%- for form in ['%Y-%m-%d', '%-d %B %Y', '%B %-d,%Y', '%Y,%-m,%-d)'] %}
            {{ 'or ' if not loop.first }}contains(replace({{ text }}, ', ', ','), strftime({{ value }}, '{{ form }}'))
        {%- endfor %}
    )
{%- endmacro %}
