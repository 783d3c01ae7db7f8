{# Two significant digits, and a whole number for an attribute of whole numbers: what somebody would say. #}
{% macro rounded_amount(expression, is_integer) -%}
    case
        when {{ is_integer }} then cast(round({{ expression }}, least(0, 1 - cast(floor(log10(greatest(abs({{ expression }}), 1))) as integer))) as double)
        else round({{ expression }}, 1 - cast(floor(log10(greatest(abs({{ expression }}), 1e-9))) as integer))
    end
{%- endmacro %}

{# A number as people write it: thousands separated, no exponent. #}
{% macro number_in_words(expression) -%}
    case
        when {{ expression }} = floor({{ expression }}) then format('{:,}', cast({{ expression }} as hugeint))
        else {{ canonical_number(expression) }}
    end
{%- endmacro %}

{% macro exceed_change_text(change, attribute) -%}
    case
        when {{ change }}.template_id <> 'hypothetical_percent' then 'rose by ' || {{ number_in_words(change ~ '.amount') }} || ' ' || {{ attribute }}.unit
        when {{ change }}.amount > 0 then 'rose by ' || cast({{ change }}.amount as integer) || '%'
        else 'fell by ' || cast(-{{ change }}.amount as integer) || '%'
    end
{%- endmacro %}

{% macro exceed_slots(change) -%}
    case {{ change }}.template_id
        when 'hypothetical_percent' then json_object(
            'attribute', {{ change }}.attribute, 'entity_id', {{ change }}.subject_id, 'other_id', {{ change }}.other_id,
            'change', json_object('percent', {{ change }}.amount))
        when 'hypothetical_addition' then json_object(
            'attribute', {{ change }}.attribute, 'entity_id', {{ change }}.subject_id, 'other_id', {{ change }}.other_id,
            'change', json_object('add', {{ change }}.amount))
        else json_object(
            'attribute', {{ change }}.attribute, 'entity_id', {{ change }}.subject_id, 'threshold', {{ change }}.target,
            'change', json_object('add', {{ change }}.amount))
    end
{%- endmacro %}

{% macro exceed_gold_sql(change, attribute) -%}
    'select (select ' || {{ attribute }}.col || ' from topics.' || {{ change }}.topic || ' where label = ' || {{ sql_literal('subject.label') }} || ')'
    || case {{ change }}.template_id
        when 'hypothetical_percent' then ' * (1 + ' || cast({{ change }}.amount as integer) || ' / 100)'
        else ' + ' || {{ canonical_number(change ~ '.amount') }}
    end
    || chr(10) || '> ' || coalesce(
        '(select ' || {{ attribute }}.col || ' from topics.' || {{ change }}.topic || ' where label = ' || {{ sql_literal('other.label') }} || ')',
        {{ canonical_number(change ~ '.target') }}
    ) || ' as answer'
{%- endmacro %}

{% macro overtake_slots(change) -%}
    case {{ change }}.template_id
        when 'hypothetical_overtake' then json_object(
            'attribute', {{ change }}.attribute, 'value', {{ change }}.small_val, 'other_value', {{ change }}.large_val,
            'change', json_object('add', {{ change }}.amount))
        else json_object(
            'attribute', {{ change }}.attribute, 'value', {{ change }}.small_val, 'threshold', {{ change }}.target,
            'change', json_object('add', {{ change }}.amount))
    end
{%- endmacro %}

{% macro overtake_gold_sql(change, attribute) -%}
    {{ sql_lines([
        "'select count(*) filter (where ' || " ~ has_value_sql(attribute, change ~ '.small_val') ~ " || ') + ' || " ~ change ~ ".amount",
        "'> ' || case " ~ change ~ ".template_id when 'hypothetical_overtake' then 'count(*) filter (where ' || "
        ~ has_value_sql(attribute, change ~ '.large_val') ~ " || ')' else cast(" ~ change ~ ".target as varchar) end || ' as answer'",
        "'from topics.' || " ~ change ~ ".topic",
        "'where ' || " ~ sql_all([change ~ '.scope_sql', attribute ~ '.known_sql']),
    ]) }}
{%- endmacro %}
