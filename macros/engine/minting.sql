{# DuckDB's way of the few things that the minting of questions needs and standard SQL lacks.
   Another engine dispatches each of these; no model calls such a function itself. #}

{% macro words(pairs) -%}{{ return(adapter.dispatch('words', 'assay')(pairs)) }}{%- endmacro %}
{# A map from placeholder to text; a NULL text becomes empty. #}
{% macro duckdb__words(pairs) -%}
    map {
    {%- for name, expression in pairs.items() %}
        '{{ name }}': coalesce(cast({{ expression }} as varchar), ''){{ ',' if not loop.last }}
    {%- endfor %}
    }
{%- endmacro %}

{% macro render(wording, words) -%}{{ return(adapter.dispatch('render', 'assay')(wording, words)) }}{%- endmacro %}
{# The wording with every {placeholder} replaced by its text from the map. #}
{% macro duckdb__render(wording, words) -%}
    list_reduce(
        list_prepend({{ wording }}, list_transform(map_entries({{ words }}), lambda e: e.key || chr(31) || e.value)),
        lambda text, e: replace(text, '{' || split_part(e, chr(31), 1) || '}', split_part(e, chr(31), 2))
    )
{%- endmacro %}

{% macro in_one_order(aggregate, expressions) -%}
    {{ return(adapter.dispatch('in_one_order', 'assay')(aggregate, [expressions] if expressions is string else expressions)) }}
{%- endmacro %}
{# An aggregate of doubles that meets its values from the smallest to the largest. Threads bring rows in another order on every
   run, and a sum of doubles shows it in its last digits; rows that this leaves in any order have equal values. #}
{% macro duckdb__in_one_order(aggregate, expressions) -%}
    {{ aggregate }}({{ expressions | join(', ') }} order by {{ expressions | join(', ') }})
{%- endmacro %}

{% macro exact_sum(expression) -%}{{ return(adapter.dispatch('exact_sum', 'assay')(expression)) }}{%- endmacro %}
{# Compensated summation: no digit is lost to a value much larger than the others. #}
{% macro duckdb__exact_sum(expression) -%}{{ in_one_order('fsum', expression) }}{%- endmacro %}

{% macro set_signature(expression) -%}{{ return(adapter.dispatch('set_signature', 'assay')(expression)) }}{%- endmacro %}
{# Equal for equal sets of ids, whatever their order. #}
{% macro duckdb__set_signature(expression) -%}bit_xor(md5_number_lower({{ expression }})){%- endmacro %}

{% macro reserved_words() -%}{{ return(adapter.dispatch('reserved_words', 'assay')()) }}{%- endmacro %}
{% macro duckdb__reserved_words() -%}
    select keyword_name from duckdb_keywords() where keyword_category = 'reserved'
{%- endmacro %}

{% macro has_doubled_word(text) -%}{{ return(adapter.dispatch('has_doubled_word', 'assay')(text)) }}{%- endmacro %}
{% macro duckdb__has_doubled_word(text) -%}
    len(list_filter(
        list_zip(string_split({{ text }}, ' '), string_split({{ text }}, ' ')[2:]),
        lambda z: z[1] = z[2] and regexp_full_match(z[1], '[a-z]+')
    )) > 0
{%- endmacro %}

{% macro union_by_name(models) -%}{{ return(adapter.dispatch('union_by_name', 'assay')(models)) }}{%- endmacro %}
{# All rows of several models; a column that one of them lacks is NULL there. #}
{% macro duckdb__union_by_name(models) -%}
    {% for model in models %}
    select * from {{ ref(model) }}
    {%- if not loop.last %}
    union all by name
    {%- endif %}
    {% endfor %}
{%- endmacro %}
