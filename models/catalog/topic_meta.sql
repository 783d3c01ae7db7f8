{%- for topic in var('topics', []) %}
-- depends_on: {{ ref(topic) }}
{%- endfor %}
{%- set rows = [] %}
{%- for node in topic_models() %}
    {%- set words = node.config.meta.get('topic', {}) %}
    {%- do rows.append({
        'topic': node.name,
        'singular': words.get('singular'),
        'plural': words.get('plural'),
        'label_article': words.get('label_article'),
    }) %}
{%- endfor %}
{{ literal_table(
    {'topic': 'varchar', 'singular': 'varchar', 'plural': 'varchar', 'label_article': 'varchar'},
    rows,
) }}
