{#- Canonical text of a DOUBLE: 6 significant digits, plain decimals while |x| < 1e15, no trailing zeros, '0' for -0.
    Built from '%.5e' (sign, d.ddddd, exponent), whose digits are correctly rounded, by moving the point. -#}
{% macro canonical_number(expr) -%}
    {{- adapter.dispatch('canonical_number', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__canonical_number(expr) -%}
    {%- set x = 'cast(' ~ expr ~ ' as double)' -%}
    {%- set scientific = "printf('%.5e', abs(" ~ x ~ "))" -%}
    {%- set digits = "replace(substr(" ~ scientific ~ ", 1, 7), '.', '')" -%}
    {%- set exponent = "cast(substr(" ~ scientific ~ ", 9) as integer)" -%}
    (case
        when {{ x }} is null or not isfinite({{ x }}) then null
        when {{ x }} = 0 then '0'
        when abs({{ x }}) >= 1e15 then printf('%.6g', {{ x }})
        else case when {{ x }} < 0 then '-' else '' end || case
            when {{ exponent }} >= 5 then {{ digits }} || repeat('0', {{ exponent }} - 5)
            when {{ exponent }} >= 0 then rtrim(rtrim(
                substr({{ digits }}, 1, {{ exponent }} + 1) || '.' || substr({{ digits }}, {{ exponent }} + 2), '0'), '.')
            else '0.' || repeat('0', -{{ exponent }} - 1) || rtrim({{ digits }}, '0')
        end
    end)
{%- endmacro %}

{#- The DOUBLE nearest to the first 15 significant digits: takes the noise of an arithmetic step away. -#}
{% macro round_significant(expr, digits=15) -%}
    {{- adapter.dispatch('round_significant', 'assay')(expr, digits) -}}
{%- endmacro %}

{% macro duckdb__round_significant(expr, digits) -%}
    cast(printf('%.{{ digits - 1 }}e', {{ expr }}) as double)
{%- endmacro %}

{#- A number written as text, NULL where it is none. -#}
{% macro text_to_double(expr) -%}
    {{- adapter.dispatch('text_to_double', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__text_to_double(expr) -%}
    try_cast({{ expr }} as double)
{%- endmacro %}

{% macro text_to_bigint(expr) -%}
    {{- adapter.dispatch('text_to_bigint', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__text_to_bigint(expr) -%}
    try_cast({{ expr }} as bigint)
{%- endmacro %}

{#- VARCHAR: a DOUBLE in plain decimals, as many after the point as the text of another number has. -#}
{% macro with_same_decimals(expr, like) -%}
    {{- adapter.dispatch('with_same_decimals', 'assay')(expr, like) -}}
{%- endmacro %}

{% macro duckdb__with_same_decimals(expr, like) -%}
    printf('%.' || length(regexp_extract({{ like }}, '[.]([0-9]*)', 1)) || 'f', {{ expr }})
{%- endmacro %}
