{#- Plain schema names (`topics`, not `main_topics`): stored SQL names its tables and has to run as pasted. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{- (custom_schema_name or target.schema) | trim -}}
{%- endmacro %}
