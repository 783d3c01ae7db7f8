{#- What a link of a row of seeds/clue_phrases.csv is called: 'forward P17 mountains'. -#}
{% macro link_path(phrase) -%}
    {{ phrase }}.direction || ' ' || {{ phrase }}.property_id || coalesce(' ' || {{ phrase }}.subject_topic, '')
{%- endmacro %}
