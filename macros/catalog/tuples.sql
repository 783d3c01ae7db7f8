{#- The tuples of one attribute: one row per entity, or per element where it is multi-valued. -#}
{% macro attribute_tuples(attribute, relation) -%}
    {%- set value = list_elements(attribute.attribute) if attribute.is_multivalued else attribute.attribute -%}
    {%- set kind = attribute.kind -%}
    select
        {{ literal(attribute.topic) }} as topic,
        entity_id,
        label,
        {{ literal(attribute.attribute) }} as attribute,
        {{ literal(kind) }} as kind,
        {{ value if kind == 'number' else 'cast(null as double)' }} as value_num,
        {{ 'cast(' ~ value ~ ' as varchar)' if kind in ('category', 'text', 'boolean') else 'cast(null as varchar)' }} as value_text,
        {{ value if kind == 'date' else 'cast(null as date)' }} as value_date,
        cast({{ literal(attribute.unit) }} as varchar) as unit,
        {{ attribute.hops }} as hops,
        {{ attribute.as_of_column or 'cast(null as varchar)' }} as as_of
    from {{ relation }}
{%- endmacro %}

{% macro no_attribute_tuples() -%}
    {{- literal_table(
        {
            'topic': 'varchar', 'entity_id': 'varchar', 'label': 'varchar', 'attribute': 'varchar', 'kind': 'varchar',
            'value_num': 'double', 'value_text': 'varchar', 'value_date': 'date', 'unit': 'varchar', 'hops': 'integer',
            'as_of': 'varchar',
        },
        [],
    ) -}}
{%- endmacro %}
