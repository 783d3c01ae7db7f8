{#- Why a statement has no value that could be used, NULL when it has one. -#}
{% macro unusable_because(statements, units) -%}
    case {{ statements }}.value_kind
        when 'somevalue' then 'somevalue'
        when 'novalue' then 'novalue'
        when 'quantity'
            then case
                when {{ statements }}.value_num is null then 'unparsable_number'
                when {{ statements }}.unit_id is not null and {{ units }}.unit_id is null then 'unknown_unit'
                when {{ statements }}.value_canonical is null then 'wrong_dimension'
            end
        when 'time'
            -- A decade or a century is a good value, though no year can be read from it.
            then case
                when {{ time_year(statements ~ '.value_time') }} is null then 'unparsable_date'
                when {{ statements }}.time_precision >= 9 and {{ statements }}.value_year is null then 'unparsable_date'
                when {{ statements }}.time_precision >= 11 and {{ statements }}.value_year > 0 and {{ statements }}.value_date is null
                    then 'unparsable_date'
            end
        when 'entity' then case when {{ statements }}.value_entity is null then 'empty_value' end
        when 'text' then case when {{ statements }}.value_text is null then 'empty_value' end
        when 'coordinate'
            then case
                when {{ statements }}.latitude is null or {{ statements }}.longitude is null then 'empty_value'
            end
    end
{%- endmacro %}

{#- Text that is equal for equal values: 100 ha and 1 km2 are one value. -#}
{% macro value_key(statements) -%}
    case {{ statements }}.value_kind
        when 'entity' then {{ statements }}.value_entity
        when 'quantity'
            then cast({{ statements }}.value_canonical as varchar) || ' ' || coalesce({{ statements }}.unit_canonical, '')
        when 'time'
            then {{ statements }}.value_time || ' ' || cast({{ statements }}.time_precision as varchar)
        when 'text' then {{ statements }}.value_text || ' @' || coalesce({{ statements }}.value_lang, '')
        when 'coordinate'
            then cast({{ statements }}.latitude as varchar) || ' ' || cast({{ statements }}.longitude as varchar)
    end
{%- endmacro %}

{#- The current snapshot's date in the form of time_key: what ended before it is over. -#}
{% macro current_as_of_key() -%}
    select
        max(extract(year from as_of) * 10000 + extract(month from as_of) * 100 + extract(day from as_of)) as as_of_key
    from {{ of_current_snapshot('stg_wikidata__snapshots') }} as snapshots
{%- endmacro %}
