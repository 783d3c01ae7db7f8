{#- One attribute each, aggregated over the rows of topic_facts() by entity. A single-valued attribute is NULL unless
    exactly one distinct value is recorded: no value rather than a wrong one. `path` is 'P30', or 'P17/P30' through P17. -#}

{#- `gives` is what comes out, where it isn't the value itself. -#}
{% macro only_value(value, path, gives=none) -%}
    {%- set among = "filter (where path = '" ~ path ~ "')" -%}
    case
        when min({{ value }}) {{ among }} = max({{ value }}) {{ among }}
            then max({{ 'case when (' ~ value ~ ') is not null then ' ~ gives ~ ' end' if gives else value }}) {{ among }}
    end
{%- endmacro %}

{#- DOUBLE in the property's canonical unit, or in `unit` (a Q-id of the units seed, same dimension). -#}
{% macro number(path, unit=none) -%}
    {%- if unit -%}
        {{ number_in_unit(path, unit) }}
    {%- else -%}
        {{ only_value('value_canonical', path) }}
    {%- endif -%}
{%- endmacro %}

{#- VARCHAR: the name of the one thing, or the one text. -#}
{% macro category(path) -%}
    {{ only_value(identity_of_value(), path, gives='value_name') }}
{%- endmacro %}

{#- VARCHAR[] of every name, sorted; NULL when there is none, or when one of the things has no English name. -#}
{% macro categories(path) -%}
    case
        when count(*) filter (where path = '{{ path }}' and {{ identity_of_value() }} is not null and value_name is null) = 0
            then {{ list_agg_sorted('value_name', "path = '" ~ path ~ "'") }}
    end
{%- endmacro %}

{% macro identity_of_value() -%}
    coalesce(hop_entity_id, value_text)
{%- endmacro %}

{#- DOUBLE, n BCE is -n, from times of year precision or finer. -#}
{% macro year(path) -%}
    cast({{ only_value('value_year', path) }} as double)
{%- endmacro %}

{#- DATE, from times of day precision in the common era. -#}
{% macro date(path) -%}
    {{ only_value('value_date', path) }}
{%- endmacro %}

{#- DOUBLE: how many distinct values are recorded; NULL when none is. -#}
{% macro count_of(path) -%}
    cast(nullif(count(distinct {{ identity_of_any_value() }}) filter (where path = '{{ path }}'), 0) as double)
{%- endmacro %}

{% macro identity_of_any_value() -%}
    coalesce(hop_entity_id, value_text, cast(value_canonical as varchar), cast(value_year as varchar), statement_id)
{%- endmacro %}

{#- VARCHAR, for text that no question asks about. -#}
{% macro text(path) -%}
    {{ category(path) }}
{%- endmacro %}

{#- VARCHAR such as '2024' or '2024-06-30': the point in time of the value that number(path, unit) gives. -#}
{% macro as_of(path, unit=none) -%}
    {%- set value = in_unit(unit) if unit else 'value_canonical' -%}
    {{ only_value(value, path, gives=time_stated('point_in_time')) }}
{%- endmacro %}

{% macro latitude(path='P625') -%}
    {{ only_value('latitude', path) }}
{%- endmacro %}

{% macro longitude(path='P625') -%}
    {{ only_value('longitude', path) }}
{%- endmacro %}

{#- BOOLEAN: whether `value` (a Q-id or a text) is among the recorded values; NULL when none is recorded. -#}
{% macro boolean(path, value) -%}
    bool_or({{ identity_of_value() }} = '{{ value }}') filter (where path = '{{ path }}' and {{ identity_of_value() }} is not null)
{%- endmacro %}

{#- A number insisted on in one unit. -#}
{% macro number_in_unit(path, unit) -%}
    case
        when not exists (select 1 from {{ ref('units') }} where unit_id = '{{ unit }}')
            then {{ fail('The unit ' ~ unit ~ ' of the path ' ~ path ~ ' in ' ~ model.original_file_path ~ ' is not listed: add it to seeds/units.csv or use a listed one.') }}
        else {{ only_value(in_unit(unit), path) }}
    end
{%- endmacro %}

{#- The amount in a unit, converted straight from the one it was stated in (by way of a third it would lose its last
    digit); NULL where that one is of another dimension, so for another currency too. -#}
{% macro in_unit(unit) -%}
    case
        when unit_id = '{{ unit }}' then value_num
        else {{ round_significant(
            'value_num * ' ~ map_pair('unit_conversions', unit, 'first') ~ ' + ' ~ map_pair('unit_conversions', unit, 'second')
        ) }}
    end
{%- endmacro %}
