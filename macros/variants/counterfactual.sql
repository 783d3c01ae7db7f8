{#- Facts with other numbers and dates, for a counterfactual variant; any other build reads them as they are.

    A quantity is made larger or smaller by a tenth to two fifths, most of a property's in one direction so that sums and means
    move as well, and stays between the smallest and the largest that is stated of its property in its unit; as many decimals as
    before, and all statements of a subject and property by one factor. Dates of a subject, those of its qualifiers too, go back
    together by 4, 8 or 12 years, so that durations and their order keep. Names of things stay: who belongs to what is not changed.
    Computed attributes, scopes, questions and gold follow, as everything is built from these. -#}
{% macro changed_facts(landed) -%}
    {%- set number = variant_number('counterfactual') -%}
    {%- if not number -%}
        {{ landed }}
    {%- else -%}
    (
        with ranges as (
            select
                property_id,
                coalesce(unit_id, '') as unit_id,
                min({{ text_to_double('amount_text') }}) as least,
                max({{ text_to_double('amount_text') }}) as most
            from {{ landed }}
            where value_kind = 'quantity'
            group by property_id, coalesce(unit_id, '')
        ),

        drawn as (
            select
                landed.*,
                ranges.least,
                ranges.most,
                {{ text_to_double('landed.amount_text') }} as num,
                1.1 + 0.3 * {{ hash_fraction(_variant_key(number, 'size', "landed.subject_id || '/' || landed.property_id")) }} as size,
                ({{ hash_fraction(_variant_key(number, 'direction', 'landed.property_id')) }} < 0.5)
                = ({{ hash_fraction(_variant_key(number, 'side', "landed.subject_id || '/' || landed.property_id")) }} < 0.75) as is_larger,
                4 * (1 + cast(floor(3 * {{ hash_fraction(_variant_key(number, 'years', 'landed.subject_id')) }}) as integer)) as years
            from {{ landed }} as landed
            left join ranges
                on landed.value_kind = 'quantity' and landed.property_id = ranges.property_id
                    and coalesce(landed.unit_id, '') = ranges.unit_id
        ),

        moved as (
            select
                *,
                -- where one direction leads out of the range the other one is taken, and where both do the number stays
                case
                    when is_larger and num * size between least and most then size
                    when num / size between least and most then 1 / size
                    when num * size between least and most then size
                    else 1
                end as factor
            from drawn
        )

        select
            {%- for column in statement_columns() %}
            {%- if column in ('amount_text', 'lower_text', 'upper_text') %}
            case when factor = 1 then {{ column }} else {{ with_same_decimals(text_to_double(column) ~ ' * factor', column) }} end as {{ column }},
            {%- elif column == 'value_time' %}
            {{ years_earlier('value_time', 'years') }} as value_time,
            {%- elif column == 'qualifiers' %}
            {{ json_years_earlier('qualifiers', 'years') }} as qualifiers,
            {%- else %}
            {{ column }}{{ ',' if not loop.last }}
            {%- endif %}
            {%- endfor %}
        from moved
    )
    {%- endif -%}
{%- endmacro %}

{% macro _variant_key(number, what, key) -%}
    {{- return("'counterfactual " ~ number ~ "/" ~ what ~ "/' || " ~ key) -}}
{%- endmacro %}
