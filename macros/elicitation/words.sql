{#- A predicate in plain words: 'birthPlace', 'birth_place' and 'schema:birthPlace' are all 'birth place'. -#}
{% macro predicate_words(expr) -%}
    {{ plain_words(split_at_capitals(without_prefix(expr))) }}
{%- endmacro %}

{#- An object in plain words that keep a number's sign, point and size: '4,807 metres' is '4807 metres', and neither '-5'
    is '5' nor '2.01' is '201'. -#}
{% macro object_words(expr) -%}
    {{ plain_words(numbers_as_words(expr)) }}
{%- endmacro %}

{#- The id of a Wikidata property that a predicate is or names ('P36', 'wdt:P36', 'capital (P36)'); NULL where it names none. -#}
{% macro property_named(expr) -%}
    nullif({{ regex_group(expr, '(?:^|[^0-9A-Za-z])(P[1-9][0-9]*)(?:[^0-9A-Za-z]|$)', 1) }}, '')
{%- endmacro %}
