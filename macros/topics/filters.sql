{#- BOOLEAN, over the rows of topic_facts(), for `having`: what meta.source.filters say, said of the table as well. The classes
    of a topic may be another's, too, whose members would come along otherwise. -#}

{#- A value of the path is recorded; in `unit`, where one is given. -#}
{% macro has_value(path, unit=none) -%}
    coalesce(bool_or(path = '{{ path }}' and {{ identity_of_any_value() }} is not null
        {%- if unit %} and unit_id = '{{ unit }}'{% endif %}), false)
{%- endmacro %}

{#- One of `values` (Q-ids) is among those recorded. -#}
{% macro has_any_of(path, values) -%}
    coalesce(bool_or(path = '{{ path }}' and hop_entity_id in ('{{ values | join("', '") }}')), false)
{%- endmacro %}

{#- A number inside the bounds (inclusive) is recorded, as it is stated; in `unit`, where one is given. -#}
{% macro has_amount(path, least=none, most=none, unit=none) -%}
    coalesce(bool_or(
        path = '{{ path }}' and value_kind = 'quantity'
        {%- if least is not none %} and value_num >= {{ least }}{% endif %}
        {%- if most is not none %} and value_num <= {{ most }}{% endif %}
        {%- if unit %} and unit_id = '{{ unit }}'{% endif %}
    ), false)
{%- endmacro %}
