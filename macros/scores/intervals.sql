{#- Bound of Wilson's 95% interval for `successes` of `trials` (Wilson 1927); `sign` is '-' for the lower one.
    At an end of the scale the bound is that end, which rounding would miss. -#}
{% macro wilson(successes, trials, sign) -%}
    {%- set z = 1.959963984540054 -%}
    {%- set p = '(cast(' ~ successes ~ ' as double) / nullif(' ~ trials ~ ', 0))' -%}
    case when {{ successes }} = {{ '0' if sign == '-' else trials }} then {{ '0.0' if sign == '-' else '1.0' }} else {{ round_significant(
        'greatest(0, least(1, (' ~ p ~ ' + ' ~ z ** 2 / 2 ~ ' / ' ~ trials ~ ' ' ~ sign ~ ' ' ~ z ~ ' * sqrt('
        ~ p ~ ' * (1 - ' ~ p ~ ') / ' ~ trials ~ ' + ' ~ z ** 2 / 4 ~ ' / (cast(' ~ trials ~ ' as double) * ' ~ trials ~ ')))'
        ~ ' / (1 + ' ~ z ** 2 ~ ' / ' ~ trials ~ ')))', 12
    ) }} end
{%- endmacro %}

{#- End of a bootstrapped interval, `drawn`; Wilson's over the questions where all of them are right (the lower end), or
    none is (the upper one): every draw is then the same, and would claim certainty. -#}
{% macro interval_end(correct, drawn, sign) -%}
    {%- set questions = 'count(' ~ correct ~ ')' -%}
    case
        when {{ 'min(' ~ correct ~ ') = 1' if sign == '-' else 'max(' ~ correct ~ ') = 0' }}
            then {{ wilson(questions if sign == '-' else '0', questions, sign) }}
        else {{ round_significant(drawn, 12) }}
    end
{%- endmacro %}

{#- 95% percentile bootstrap (Efron 1979) of a slice's accuracy, as CTEs to follow those of a model:

    question_interval: run_id, slice_kind, slice, low, high - questions drawn with replacement;
    topic_interval: the same with whole topics drawn, NULL where there is but one.

    `questions` is a CTE of run_id, slice_kind, slice, topic, correct: one row per question and slice, `correct` its mean
    over samples. The d-th draw of replicate r is the md5 of 'r/d', a number that no row, order or machine has a part in;
    a slice takes the first n of them as places among its n values in order of size. So slices of equal values, say one
    split and the whole run, have the same interval and are drawn once; and two runs are drawn alike. -#}
{% macro bootstrap_intervals(questions) -%}
{%- set slice = 'run_id, slice_kind, slice' -%}
question_values as (
    select {{ slice }}, {{ list_in_order('correct', 'correct') }} as correct, count(*) as size
    from {{ questions }}
    group by {{ slice }}
),

topic_sums as (
    select {{ slice }}, topic, {{ exact_sum('correct') }} as correct, cast(count(*) as double) as questions
    from {{ questions }}
    group by {{ slice }}, topic
),

topic_values as (
    select
        {{ slice }}, {{ list_in_order('correct', 'topic') }} as correct, {{ list_in_order('questions', 'topic') }} as questions, count(*) as size
    from topic_sums
    group by {{ slice }}
    having count(*) > 1
),

all_sizes as (
    select size from question_values
    union
    select size from topic_values
),

{{ places_drawn('all_sizes') }},

-- numbered, since grouping by the lists themselves would hash each of them in every replicate
distinct_values as materialized (
    select row_number() over () as number, correct, size
    from (select distinct correct, size from question_values) as once
),

drawn_means as (
    select distinct_values.number, {{ sum_at('distinct_values.correct', 'drawn.places') }} / drawn.size as mean
    from distinct_values
    inner join drawn on distinct_values.size = drawn.size
),

question_interval as (
    select {{ slice }}, ends.low, ends.high
    from question_values
    inner join distinct_values on question_values.correct = distinct_values.correct
    inner join (
        select number, {{ quantile('mean', 0.025) }} as low, {{ quantile('mean', 0.975) }} as high
        from drawn_means
        group by number
    ) as ends on distinct_values.number = ends.number
),

topic_interval as (
    select
        {{ slice }},
        {{ quantile(sum_at('correct', 'places') ~ ' / ' ~ sum_at('questions', 'places'), 0.025) }} as low,
        {{ quantile(sum_at('correct', 'places') ~ ' / ' ~ sum_at('questions', 'places'), 0.975) }} as high
    from topic_values
    inner join drawn on topic_values.size = drawn.size
    group by {{ slice }}
)
{%- endmacro %}

{#- `drawn`: for each size of `relation` and each replicate, as many places among that many. -#}
{% macro places_drawn(relation) -%}
sizes as (
    select distinct size from {{ relation }}
),

draws as (
    select replicate, {{ list_in_order(hash_fraction("replicate || '/' || draw"), 'draw') }} as draws
    from (select {{ whole_numbers(var('bootstrap_replicates')) }} as replicate) as replicates
    cross join (
        select {{ whole_numbers('size') }} as draw from (select max(size) as size from sizes) as largest
    ) as numbered
    group by replicate
),

drawn as materialized (
    select size, replicate, {{ places('draws', 'size') }} as places
    from sizes
    cross join draws
)
{%- endmacro %}
