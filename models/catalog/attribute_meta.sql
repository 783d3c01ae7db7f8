{%- for topic in var('topics', []) %}
-- depends_on: {{ ref(topic) }}
{%- endfor %}
{%- set rows = [] %}
{%- for node in topic_models() %}
    {%- do rows.extend(attributes_of(node)) %}
{%- endfor %}
{{ literal_table(
    {
        'topic': 'varchar',
        'attribute': 'varchar',
        'position': 'integer',
        'kind': 'varchar',
        'data_type': 'varchar',
        'path': 'varchar',
        'hops': 'integer',
        'phrase': 'varchar',
        'phrase_plural': 'varchar',
        'article': 'varchar',
        'unit': 'varchar',
        'more': 'varchar',
        'most': 'varchar',
        'less': 'varchar',
        'least': 'varchar',
        'is_integer': 'boolean',
        'is_additive': 'boolean',
        'is_volatile': 'boolean',
        'is_year': 'boolean',
        'is_multivalued': 'boolean',
        'scope': 'varchar',
        'scope_false': 'varchar',
        'member': 'varchar',
        'shared': 'varchar',
        'via': 'varchar',
        'tolerance': 'double',
        'as_of_column': 'varchar',
    },
    rows,
) }}
