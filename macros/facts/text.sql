{#- BOOLEAN: a statement that somebody recorded, as against one that a model read in an article. -#}
{% macro is_recorded(statements) -%}
    ({{ statements }}.source is distinct from 'wikipedia')
{%- endmacro %}

{#- BOOLEAN: two times are the same to the coarser precision of the two, a year or finer. -#}
{% macro same_time(one, other) -%}
    case
        when least({{ one }}.time_precision, {{ other }}.time_precision) >= 11
            then coalesce({{ one }}.value_date = {{ other }}.value_date, {{ one }}.value_time = {{ other }}.value_time)
        when least({{ one }}.time_precision, {{ other }}.time_precision) = 10
            then {{ one }}.value_year = {{ other }}.value_year
                and ({{ time_month(one ~ '.value_time') }}) = ({{ time_month(other ~ '.value_time') }})
        else {{ one }}.value_year = {{ other }}.value_year
    end
{%- endmacro %}

{#- VARCHAR: a statement's value as it was written, with the id of its unit or entity. -#}
{% macro written_value(statements) -%}
    case {{ statements }}.value_kind
        when 'entity' then {{ statements }}.value_entity
        when 'quantity' then concat_ws(' ', {{ statements }}.amount_text, {{ statements }}.unit_id)
        when 'time' then {{ time_stated(statements ~ '.value_time') }}
        else {{ statements }}.value_text
    end
{%- endmacro %}
