{#- The given group of a regular expression's first match, '' where there is none, NULL for NULL. -#}
{% macro regex_group(expr, pattern, group) -%}
    {{- adapter.dispatch('regex_group', 'assay')(expr, pattern, group) -}}
{%- endmacro %}

{% macro duckdb__regex_group(expr, pattern, group) -%}
    regexp_extract({{ expr }}, '{{ pattern }}', {{ group }})
{%- endmacro %}

{% macro regex_matches(expr, pattern) -%}
    {{- adapter.dispatch('regex_matches', 'assay')(expr, pattern) -}}
{%- endmacro %}

{% macro duckdb__regex_matches(expr, pattern) -%}
    regexp_matches({{ expr }}, '{{ pattern }}')
{%- endmacro %}

{#- A text's words in lower case, without accents or punctuation, one space between two. -#}
{% macro plain_words(expr) -%}
    {{- adapter.dispatch('plain_words', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__plain_words(expr) -%}
    trim(regexp_replace(lower(strip_accents({{ expr }})), '[^\pL\pN]+', ' ', 'g'))
{%- endmacro %}

{#- VARCHAR[] of a text's words. -#}
{% macro split_words(expr) -%}
    {{- adapter.dispatch('split_words', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__split_words(expr) -%}
    string_split({{ expr }}, ' ')
{%- endmacro %}

{#- Whether one of a list of words is at most one letter from `word`, both being long. -#}
{% macro has_similar_word(words, word) -%}
    {{- adapter.dispatch('has_similar_word', 'assay')(words, word) -}}
{%- endmacro %}

{% macro duckdb__has_similar_word(words, word) -%}
    (length({{ word }}) >= 7 and len(list_filter(
        {{ words }},
        lambda spoken: length(spoken) >= 6 and substr(spoken, 1, 1) = substr({{ word }}, 1, 1)
            and damerau_levenshtein(spoken, {{ word }}) <= 1
    )) > 0)
{%- endmacro %}

{#- VARCHAR: a text as quotations are compared: runs of spaces as one, quotes of every kind as the plain ones. -#}
{% macro quotable(expr) -%}
    {{- adapter.dispatch('quotable', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__quotable(expr) -%}
    trim(regexp_replace(
        translate(nfc_normalize({{ expr }}), '‘’‚‛′`´“”„‟″«»', repeat(chr(39), 7) || repeat('"', 7)), '\s+', ' ', 'g'
    ))
{%- endmacro %}

{#- BOOLEAN: marks stand in a text that wikitext has and its readers never see. -#}
{% macro has_wikitext(expr) -%}
    {{- regex_matches(expr, '[{][{]|[}][}]|[[][[]|<ref[ >/]|[{][|]') -}}
{%- endmacro %}
