{#- A count by its power of ten in words: '0', '1 to 9', '10 to 99' ... '1,000,000 or more'. -#}
{% macro decade_of(count) -%}
    case
        when {{ count }} < 1 then '0'
        when {{ count }} < 10 then '1 to 9'
        when {{ count }} < 100 then '10 to 99'
        when {{ count }} < 1000 then '100 to 999'
        when {{ count }} < 10000 then '1,000 to 9,999'
        when {{ count }} < 100000 then '10,000 to 99,999'
        when {{ count }} < 1000000 then '100,000 to 999,999'
        else '1,000,000 or more'
    end
{%- endmacro %}

{#- How many reference triples there are, as one of the ranges of vars.elicitation.ranges; NULL below the first. -#}
{% macro reference_range(count) -%}
    case
        {%- for least, most in var('elicitation').ranges %}
            when {{ count }} >= {{ least }}{{ " and " ~ count ~ " <= " ~ most if most }} then '{{ least }}{{ " to " ~ most if most else " or more" }}'
        {%- endfor %}
    end
{%- endmacro %}

{#- How judged triples are sliced; a NULL slice has no row. -#}
{% macro triple_slices() -%}
    {{- return(["'overall'", "'domain'", "'popularity'", "'range'", "'topic'"]) -}}
{%- endmacro %}

{% macro slice_of_triple() -%}
    case slice_kind
        when 'overall' then 'all'
        when 'domain' then domain
        when 'popularity' then popularity_bucket
        when 'range' then reference_range
        when 'topic' then topic
    end
{%- endmacro %}
