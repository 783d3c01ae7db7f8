{# What a reader would stumble over, as one condition on the text of a question. RE2 has no back references: a doubled word is
   found by laying the list of words beside itself. #}
{% macro reads_badly(text) -%}
    (
        {{ text }} not like '%?'
        or regexp_matches({{ text }}, '[{}]|\b(None|NULL|nan)\b|\b[QP][0-9]{2,}\b|\b[a-z]+_[a-z0-9_]+\b|  | [,?]|[0-9]{7,}|[0-9]\.0\b|[0-9]e[+-][0-9]|\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b')
        or regexp_matches({{ text }}, '\b[Aa] [aeioAEIO]') or regexp_matches({{ text }}, '\b[Aa]n [bcdfgjklmnpqrstvwyzBCDGJKPQTVWYZ][a-z]')
        or not regexp_matches({{ text }}, '^[A-Z0-9]')
        or {{ has_doubled_word(text) }}
    )
{%- endmacro %}

{# The answer of an open question stands in its text. Questions that offer both candidates are exempt. #}
{% macro answer_is_in_question(question) -%}
    (
        {{ question }}.type <> 'intercomparison'
        and (
            ({{ question }}.gold_kind in ('entity', 'category') and contains(lower({{ question }}.question), lower({{ question }}.gold_answer)))
            or (
                {{ question }}.gold_kind = 'number' and {{ question }}.tolerance = 0
                and list_contains(regexp_extract_all({{ question }}.question, '[0-9]+'), {{ question }}.gold_answer)
            )
        )
    )
{%- endmacro %}

{# A name as it stands in a sentence: "the Netherlands". #}
{% macro in_a_sentence(name) -%}
    case when {{ name }} in (select n.name from {{ ref('names_with_article') }} as n) then 'the ' else '' end || {{ name }}
{%- endmacro %}
