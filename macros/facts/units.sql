{#- A quantity in `from_unit`, expressed in `to_unit` of the same dimension (two aliases of the units seed).
    The same unit leaves the number untouched; a conversion is rounded to 15 significant digits, so that 100 ha and 1 km2 are equal. -#}
{% macro convert_unit(value, from_unit, to_unit) -%}
    case
        when {{ from_unit }}.unit_id = {{ to_unit }}.unit_id then {{ value }}
        when {{ from_unit }}.dimension = {{ to_unit }}.dimension
            then {{ round_significant(
                '(' ~ value ~ ' * ' ~ from_unit ~ '.factor + ' ~ from_unit ~ '.addend - ' ~ to_unit ~ '.addend) / ' ~ to_unit ~ '.factor'
            ) }}
    end
{%- endmacro %}

{#- Half the width of a quantity's bounds, else half a unit of its last written digit: how coarse the source is, in its own unit. -#}
{% macro source_rounding(lower, upper, amount_text) -%}
    case
        when {{ upper }} > {{ lower }} then ({{ upper }} - {{ lower }}) / 2
        when {{ amount_text }} is not null
            then 0.5 * power(10, -length({{ regex_group(amount_text, '[.]([0-9]+)$', 1) }}))
    end
{%- endmacro %}
