{#- Landed statements in their types; whoever lands statements lands these columns. -#}
{% macro landed_statements(relation) -%}
select
    {%- for column, type in statement_types().items() %}
    cast({{ column }} as {{ type }}) as {{ column }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ relation }}
{%- endmacro %}

{% macro statement_types() -%}
    {{- return({
        'statement_id': 'varchar',
        'subject_id': 'varchar',
        'property_id': 'varchar',
        'value_kind': 'varchar',
        'value_entity': 'varchar',
        'amount_text': 'varchar',
        'lower_text': 'varchar',
        'upper_text': 'varchar',
        'unit_id': 'varchar',
        'value_time': 'varchar',
        'time_precision': 'integer',
        'calendar': 'varchar',
        'value_text': 'varchar',
        'value_lang': 'varchar',
        'latitude': 'double',
        'longitude': 'double',
        'rank': 'varchar',
        'qualifiers': 'json',
        'reference_count': 'integer',
        'source': 'varchar',
        'source_url': 'varchar',
        'request_hash': 'varchar',
        'fetched_at': 'timestamp',
        'snapshot_id': 'varchar',
    }) -}}
{%- endmacro %}

{% macro statement_columns() -%}
    {{- return(statement_types().keys() | list) -}}
{%- endmacro %}
