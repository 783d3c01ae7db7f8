{# Macros that write SQL text: what they return is a SQL expression whose value is a piece of a stored query. #}

{% macro sql_literal(expression) -%}
    '''' || replace({{ expression }}, '''', '''''') || ''''
{%- endmacro %}

{# A column name, quoted only where it is a reserved word (a topic may have a column "group"). #}
{% macro quoted_name(expression) -%}
    case
        when {{ expression }} in ({{ reserved_words() }}) then '"' || {{ expression }} || '"'
        else {{ expression }}
    end
{%- endmacro %}

{# Lines of a query joined by line ends; a NULL line is left out. #}
{% macro sql_lines(lines) -%}
    concat_ws(chr(10), {{ lines | join(', ') }})
{%- endmacro %}

{# Conditions joined by "and"; a NULL condition (the whole topic has no scope) is left out. #}
{% macro sql_all(conditions) -%}
    concat_ws(' and ', {{ conditions | join(', ') }})
{%- endmacro %}
