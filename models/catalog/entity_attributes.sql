{%- set selects = [] %}
{%- for topic in var('topics', []) %}
    {%- set relation = ref(topic) %}
    {%- if execute %}
        {%- for attribute in attributes_of(graph.nodes['model.' ~ project_name ~ '.' ~ topic]) %}
            {%- do selects.append(attribute_tuples(attribute, relation)) %}
        {%- endfor %}
    {%- endif %}
{%- endfor %}
select
    topic,
    entity_id,
    label,
    attribute,
    kind,
    value_num,
    value_text,
    value_date,
    unit,
    hops,
    as_of
from (
    {{ selects | join('\nunion all\n') if selects else no_attribute_tuples() }}
) as tuples
where value_num is not null or value_text is not null or value_date is not null
order by topic, attribute, entity_id, value_text, value_num, value_date
