{# How far an answer must be from flipping.

   An exact integer (a year, a count) needs a gap of 1; a measured value needs 1% of the topic's interquartile range and more
   than the roundings of both values together. #}
{% macro gap_is_clear(gap, attribute, rounding='0') -%}
    case
        when {{ attribute }}.is_integer or {{ attribute }}.kind = 'date' then {{ gap }} >= 1
        else {{ gap }} > 0 and {{ gap }} >= 0.01 * coalesce({{ attribute }}.iqr, 0) and {{ gap }} > {{ rounding }}
    end
{%- endmacro %}

{# A volatile value that leads by less than 5% may not lead next year. #}
{% macro lead_is_stale(attribute, leader, follower) -%}
    ({{ attribute }}.is_volatile and abs({{ leader }} - {{ follower }}) < 0.05 * greatest(abs({{ leader }}), abs({{ follower }})))
{%- endmacro %}

{# 12 significant digits: beyond them the order of a summation would show. #}
{% macro digits12(expression) -%}
    {{ round_significant(expression, 12) }}
{%- endmacro %}
