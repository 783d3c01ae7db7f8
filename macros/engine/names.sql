{#- A text with a space before each capital that follows a small letter or a digit, and for each underscore. -#}
{% macro split_at_capitals(expr) -%}
    {{- adapter.dispatch('split_at_capitals', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__split_at_capitals(expr) -%}
    regexp_replace(replace({{ expr }}, '_', ' '), '([\p{Ll}0-9])(\p{Lu})', '\1 \2', 'g')
{%- endmacro %}

{#- A name without the prefix of its vocabulary ('wdt:', 'schema:' ...) or its address. -#}
{% macro without_prefix(expr) -%}
    {{- adapter.dispatch('without_prefix', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__without_prefix(expr) -%}
    regexp_replace(trim({{ expr }}), '^(?:https?://\S*[/#]|(?:wdt?|ps?|schema|schema\.org|dbo|dbp|rdfs?|foaf|owl|skos|dc|dcterms)\s*[:/])', '')
{%- endmacro %}

{#- A text in which numbers can lose their punctuation: without thousands separators, signs and points as words. -#}
{% macro numbers_as_words(expr) -%}
    {{- adapter.dispatch('numbers_as_words', 'assay')(expr) -}}
{%- endmacro %}

{#- Twice, since the groups of 1,234,567 overlap. -#}
{% macro duckdb__numbers_as_words(expr) -%}
    {%- set grouped = "regexp_replace(regexp_replace(" ~ expr ~ ", '(\\d),(\\d{3})(\\D|$)', '\\1\\2\\3', 'g'), '(\\d),(\\d{3})(\\D|$|\\d)', '\\1\\2\\3', 'g')" -%}
    regexp_replace(
        regexp_replace({{ grouped }}, '(^|[\s(])[-−–](\d)', '\1 minus \2', 'g'),
        '(\d)\.(\d)', '\1 point \2', 'g'
    )
{%- endmacro %}

{#- The beginning of a word through the first vowel after two letters ('Einste' of 'Einstein'); '' where there is none. -#}
{% macro word_start(expr) -%}
    {{- adapter.dispatch('word_start', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__word_start(expr) -%}
    regexp_extract({{ expr }}, '^(\pL{2,}?[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœ])\pL+$', 1)
{%- endmacro %}

{#- What follows these vowels ('nman' of 'Feynman'); '' where there is none, or too little. -#}
{% macro word_end(expr) -%}
    {{- adapter.dispatch('word_end', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__word_end(expr) -%}
    regexp_extract({{ expr }}, '^\pL{2,}?[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœ]+(\pL{2,})$', 1)
{%- endmacro %}
