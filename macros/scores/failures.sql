{#- Factors by which a number in one unit differs from that in another: (factor, what it may be); powers of ten come from the
    number itself. Exact by definition (The International System of Units, 9th edition 2019; NIST SP 811, 2008), the calorie
    the thermochemical one, and years of 365.25 days. -#}
{% macro unit_factors() -%}
    {{- return([
        (1.609344, 'miles and kilometres'), (1.852, 'nautical miles and kilometres'), (0.3048, 'feet and metres'),
        (2.54, 'inches and centimetres'), (2.589988110336, 'square miles and square kilometres'),
        (0.45359237, 'pounds and kilograms'), (3.785411784, 'gallons and litres'), (4.184, 'calories and joules'),
        (3.6, 'hours and seconds, by thousands'), (60.0, 'minutes and seconds'), (24.0, 'days and hours'),
        (86.4, 'days and seconds, by thousands'), (365.25, 'years and days'), (7.0, 'weeks and days'), (12.0, 'years and months'),
        (101.325, 'atmospheres and kilopascals'), (1.01325, 'atmospheres and bars'), (1.602176634, 'electronvolts and joules'),
        (6.02214076, 'molecules and moles'), (57.29577951308232, 'degrees and radians'),
    ]) -}}
{%- endmacro %}

{#- Text: the conversion that a ratio of two numbers is, within `tolerance` (a share): a power of ten other than 1, or one of
    unit_factors either way, as it stands there; NULL for none. -#}
{% macro conversion(ratio, tolerance) -%}
    case
        when {{ ratio }} is null or {{ ratio }} <= 0 then null
        when round(log10({{ ratio }})) <> 0 and abs({{ ratio }} / power(10, round(log10({{ ratio }}))) - 1) <= {{ tolerance }}
            then 'a power of ten'
        {%- for factor, meaning in unit_factors() %}
            when abs({{ ratio }} / {{ factor }} - 1) <= {{ tolerance }} or abs({{ ratio }} * {{ factor }} - 1) <= {{ tolerance }}
                then '{{ meaning }}'
        {%- endfor %}
    end
{%- endmacro %}

{#- The classes of a wrong answer to a deep-research question, in the order in which they are looked for. -#}
{% macro failure_classes() -%}
    {{- return([
        'no_answer', 'undetermined', 'entity_wrong', 'unit_factor', 'arithmetic_wrong', 'value_near', 'value_far',
    ]) -}}
{%- endmacro %}

{#- `classed_failures`, a CTE: each row of `measured` with its class and what speaks for it. The verdict's own words say where no
    number was read: for want of one, or since it was given in a unit of something else. -#}
{% macro classed_failures(measured) -%}
classed as (
    select
        *,
        coalesce(outcome = 'answered' and value is null and (contains(said, 'unit') or contains(said, 'measurement')), false) as is_other_unit
    from {{ measured }}
),

sorted as (
    select
        *,
        case
            when outcome <> 'answered' or (value is null and not is_other_unit) then 'no_answer'
            when not entity_correct then 'entity_wrong'
            when entity_correct is null or (relative_error is null and not is_other_unit) then 'undetermined'
            when is_other_unit or conversion is not null then 'unit_factor'
            when cause = 'arithmetic' then 'arithmetic_wrong'
            when relative_error <= 0.5 then 'value_near'
            else 'value_far'
        end as class
    from classed
),

classed_failures as (
    select
        run_id,
        question_id,
        sample,
        case when class in ('no_answer', 'undetermined') then 'none' when class = 'entity_wrong' then 'entity' else 'value' end as stage,
        class,
        case when class in ('value_near', 'value_far') then cause when class = 'arithmetic_wrong' then 'arithmetic' end as cause,
        {{ round_significant('relative_error', 12) }} as relative_error,
        n_inputs,
        n_read,
        case class
            when 'no_answer' then case when outcome = 'answered' then said else outcome end
            when 'undetermined' then case when entity_correct is null then 'nothing says whether the entity is right' else 'the gold answer is zero' end
            when 'entity_wrong' then said
            when 'unit_factor' then case when is_other_unit then said else 'off by ' || conversion end
            else said || ' for ' || {{ canonical_number('gold_value') }} || coalesce('; ' || n_read || ' of ' || n_inputs || ' inputs stand in the trace', '')
        end as detail
    from sorted
)
{%- endmacro %}
