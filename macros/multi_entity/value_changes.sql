{# The changes that a pair of entities with values first_num < second_num may be asked about; `pairs` is the relation of pairs. #}
{% macro value_changes(pairs) -%}
    -- the smaller one grows, or the larger one shrinks, by a round percentage
    select
        'hypothetical_percent' as template_id,
        {{ pairs }}.*,
        aims_high as grows,
        case when aims_high then first_num else second_num end as before,
        case when aims_high then second_num else first_num end as target,
        list_extract(
            list_filter([5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100], lambda p: case
                when aims_high and size < 0.5 then p > 100 * (second_num / first_num - 1)
                when aims_high then p < 100 * (second_num / first_num - 1)
                when size < 0.5 then p > 100 * (1 - first_num / second_num) and p < 100
                else p < 100 * (1 - first_num / second_num)
            end),
            case when size < 0.5 then 1 else -1 end
        ) * case when aims_high then 1 else -1 end as amount
    from {{ pairs }}

    union all

    -- the smaller one gains a round amount, somewhat under or over what it lacks
    select
        'hypothetical_addition' as template_id,
        {{ pairs }}.*,
        true as grows,
        first_num as before,
        second_num as target,
        {{ rounded_amount('(second_num - first_num) * case when aims_high then 1.1 + size / 2 else 0.5 + size * 0.4 end', 'is_integer') }}
        as amount
    from {{ pairs }}

    union all

    -- the smaller one gains an amount; the threshold is a round number above it
    select
        'hypothetical_threshold' as template_id,
        {{ pairs }}.*,
        true as grows,
        first_num as before,
        {{ rounded_amount('first_num * (1.05 + size / 4)', 'is_integer') }} as target,
        {{ rounded_amount('first_num * (0.05 + size / 4) * case when aims_high then 1.3 else 0.7 end', 'is_integer') }} as amount
    from {{ pairs }}
{%- endmacro %}
