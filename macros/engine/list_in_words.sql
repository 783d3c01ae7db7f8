{#- The elements of a VARCHAR[] in words: 'a', 'a and b', 'a, b and c'; NULL for NULL and for an empty list. -#}
{% macro list_in_words(expr) -%}
    {{- adapter.dispatch('list_in_words', 'assay')(expr) -}}
{%- endmacro %}

{% macro duckdb__list_in_words(expr) -%}
    case
        when len({{ expr }}) > 1 then array_to_string(({{ expr }})[:-2], ', ') || ' and ' || ({{ expr }})[-1]
        else ({{ expr }})[1]
    end
{%- endmacro %}
