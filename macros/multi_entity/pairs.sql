{# What questions about two attributes of one scope share. The aliases are scope, a and b. #}

{% macro pair_joins(relation) %}
inner join {{ ref('scopes') }} as scope on {{ relation }}.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as a
    on {{ relation }}.topic = a.topic and {{ relation }}.first_attribute = a.attribute
inner join {{ ref('attributes') }} as b
    on {{ relation }}.topic = b.topic and {{ relation }}.second_attribute = b.attribute
{%- endmacro %}

{% macro pair_words() -%}
    {{ words({
        'things': 'scope.things',
        'phrase_a': 'a.phrase',
        'phrase_b': 'b.phrase',
        'phrases_b': 'b.phrase_plural',
        'phrases_a': 'a.phrase_plural',
        'dated': dated(later_date('a', 'b')),
    }) }}
{%- endmacro %}

{# Two volatile attributes with one date are as of it; with two dates the question names neither and says the snapshot's. #}
{% macro later_date(a, b) -%}
    case
        when {{ a }}.as_of = '' or {{ a }}.as_of = {{ b }}.as_of then {{ b }}.as_of
        when {{ b }}.as_of = '' then {{ a }}.as_of
        else {{ a }}.as_of_snapshot
    end
{%- endmacro %}

{# SQL text: the tuples of both attributes of all entities that have both. #}
{% macro pair_tuples_sql(extra='null') -%}
    {%- set known = sql_all(['scope.scope_sql', 'a.known_sql', 'b.known_sql', extra]) -%}
    {{ sql_lines(["a.tuples_sql || " ~ known, "'union all'", "b.tuples_sql || " ~ known]) }}
{%- endmacro %}

{% macro correlation_answer_text() -%}
    {{ critical_value_text('abs(r) * sqrt((n - 2) / greatest(1 - r * r, 1e-15)) > critical', 't', '1', 'n - 2') }}
{%- endmacro %}

{# " (values as of 2024)", or nothing where nothing changes. #}
{% macro dated(as_of) -%}
    case when {{ as_of }} = '' then '' else ' (values' || {{ as_of }} || ')' end
{%- endmacro %}
