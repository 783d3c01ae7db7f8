{% set slices = review_slices() %}
{% set fields = {
    'valid': "case when is_valid then 'valid' when not is_valid then 'not valid' end",
    'entity': 'entity', 'clarity': 'clarity', 'gold': 'gold', 'error_category': 'error_category',
} %}
with given as (
    {% for field, label in fields.items() %}
    select
        '{{ field }}' as field,
        sheet_id,
        item,
        family,
        category,
        type,
        {{ label }} as label
    from {{ ref('labels') }}
    where not is_third
    union all
    {% endfor %}
    select
        'verdict' as field,
        sheet_id,
        item,
        family,
        category,
        type,
        verdict as label
    from {{ ref('answer_labels') }}
    where not is_third
),

sliced as (
    {% for kind, slice in slices %}
    select
        field,
        '{{ kind }}' as slice_kind,
        {{ slice }} as slice,
        sheet_id,
        item,
        label
    from given
    where label is not null
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

counted as (
    select
        field,
        slice_kind,
        slice,
        sheet_id,
        item,
        label,
        count(*) as n,
        sum(count(*)) over (partition by field, slice_kind, slice, sheet_id, item) as m
    from sliced
    group by field, slice_kind, slice, sheet_id, item, label
),

-- an item with one label pairs with nothing
paired as (
    select
        *,
        sum(n) over (partition by field, slice_kind, slice, label) as n_of_label
    from counted
    where m > 1
),

-- summed over its rows, a label's count times its total is the square of the total
items as (
    select
        field,
        slice_kind,
        slice,
        max(m) as m,
        sum(n * n) as squares,
        sum(n * n_of_label) as label_squares
    from paired
    group by field, slice_kind, slice, sheet_id, item
)

select
    field,
    slice_kind,
    slice,
    count(*) as n,
    cast(sum(m) as bigint) as n_labels,
    {{ round_significant('avg(cast(squares - m as double) / (m * (m - 1)))', 12) }} as agreement,
    {{ round_significant(krippendorff_alpha(
        'sum(m)', 'sum(cast(m * m - squares as double) / (m - 1))', 'sum(label_squares)'
    ), 12) }} as alpha
from items
group by field, slice_kind, slice
order by field, slice_kind, slice
