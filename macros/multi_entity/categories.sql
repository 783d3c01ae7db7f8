{# "use the euro": the predicate that a category value or a true boolean makes. #}
{% macro member_text(attribute, value) -%}
    replace({{ attribute }}.member, '{value}', {{ in_a_sentence(value) }})
{%- endmacro %}

{# SQL text: this entity has this value. #}
{% macro has_value_sql(attribute, value) -%}
    case
        when {{ attribute }}.is_multivalued
            then 'list_contains(' || {{ attribute }}.col || ', ' || {{ sql_literal(value) }} || ')'
        when {{ attribute }}.kind = 'boolean' then {{ attribute }}.col
        else {{ attribute }}.col || ' = ' || {{ sql_literal(value) }}
    end
{%- endmacro %}

{# SQL text: entity_id and val, a row a value. #}
{% macro category_rows_sql(attribute, topic, where) -%}
    'select entity_id, '
    || case
        when {{ attribute }}.is_multivalued then 'unnest(' || {{ attribute }}.col || ')'
        when {{ attribute }}.kind = 'boolean' then 'cast(' || {{ attribute }}.col || ' as varchar)'
        else {{ attribute }}.col
    end
    || ' as val from topics.' || {{ topic }} || ' where ' || {{ where }}
{%- endmacro %}
