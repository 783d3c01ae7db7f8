{# Centuries count from 1: 1801-1900 is the 19th; n BCE is -n, so 500-401 BCE is the 5th BCE, stored as -5. #}
{% macro century_of(year) -%}
    cast(case when {{ year }} > 0 then ceil({{ year }} / 100) else floor({{ year }} / 100) end as integer)
{%- endmacro %}

{% macro century_name(century) -%}
    abs({{ century }}) || {{ ordinal_suffix('abs(' ~ century ~ ')') }} || ' century'
    || case when {{ century }} < 0 then ' BCE' else '' end
{%- endmacro %}

{% macro century_bounds(century) -%}
    ' between ' || case
        when {{ century }} > 0 then {{ century }} * 100 - 99 || ' and ' || {{ century }} * 100
        else {{ century }} * 100 || ' and ' || {{ century }} * 100 + 99
    end
{%- endmacro %}

{% macro ordinal_suffix(number) -%}
    case
        when {{ number }} % 100 between 11 and 13 then 'th'
        when {{ number }} % 10 = 1 then 'st'
        when {{ number }} % 10 = 2 then 'nd'
        when {{ number }} % 10 = 3 then 'rd'
        else 'th'
    end
{%- endmacro %}
