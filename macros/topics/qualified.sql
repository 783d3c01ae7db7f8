{#- One row per standing statement of a property (any rank but deprecated) with what its qualifiers say: Wikidata keeps the
    start of a term of office, or the year of an award, beside the value and not in a property of its own.
    value: keep only the statements with this value. dates, years, numbers: {qualifier: name of the column}. -#}
{% macro qualified(property, value=none, dates={}, years={}, numbers={}) -%}
    (
        select
            stated.subject_id as entity_id,
            stated.value_entity,
            stated.rank,
            entities.label as value_name
            {%- for qualifier, name in dates.items() %},
            {{ readable_date(qualifier_text(qualifier, 'value'), qualifier_precision(qualifier), qualifier_text(qualifier, 'calendar')) }} as {{ name }}
            {%- endfor %}
            {%- for qualifier, name in years.items() %},
            cast({{ readable_year(qualifier_text(qualifier, 'value'), qualifier_precision(qualifier)) }} as double) as {{ name }}
            {%- endfor %}
            {%- for qualifier, name in numbers.items() %},
            {{ text_to_double(qualifier_text(qualifier, 'amount')) }} as {{ name }}
            {%- endfor %}
        from {{ ref('statements') }} as stated
        left join {{ ref('entities') }} as entities on stated.value_entity = entities.entity_id
        where
            stated.property_id = '{{ property }}'
            and stated.rank != 'deprecated'
            and {{ is_recorded('stated') }}
            {%- if value %}
            and stated.value_entity = '{{ value }}'
            {%- endif %}
    )
{%- endmacro %}

{#- One part of a qualifier's value as text. Where a statement has several values of one qualifier, the largest. -#}
{% macro qualifier_text(qualifier, part) -%}
    {{ list_largest(json_texts('stated.qualifiers', '$.' ~ qualifier ~ '[*].' ~ part)) }}
{%- endmacro %}

{% macro qualifier_precision(qualifier) -%}
    cast({{ text_to_double(qualifier_text(qualifier, 'precision')) }} as integer)
{%- endmacro %}
