{% set slices = review_slices() %}
with sliced as (
    {% for kind, slice in slices %}
    select
        '{{ kind }}' as slice_kind,
        {{ slice }} as slice,
        is_valid,
        -- true once: an error of the data's age, not of the question's making
        not is_valid and coalesce(error_category = 'stale data', false) as is_stale
    from {{ ref('adjudicated') }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

counted as (
    select
        slice_kind,
        slice,
        count(is_valid) as n,
        count(*) - count(is_valid) as n_undecided,
        count(*) filter (where is_valid) as n_valid,
        count(*) filter (where is_stale) as n_stale
    from sliced
    group by slice_kind, slice
)

select
    slice_kind,
    slice,
    n,
    n_undecided,
    n_valid,
    n_stale,
    {{ round_significant('cast(n_valid as double) / nullif(n, 0)', 12) }} as valid,
    case when n > 0 then round({{ wilson('n_valid', 'n', '-') }}, 12) end as valid_low,
    case when n > 0 then round({{ wilson('n_valid', 'n', '+') }}, 12) end as valid_high,
    {{ round_significant('cast(n_valid + n_stale as double) / nullif(n, 0)', 12) }} as valid_but_stale,
    case when n > 0 then round({{ wilson('(n_valid + n_stale)', 'n', '-') }}, 12) end as valid_but_stale_low,
    case when n > 0 then round({{ wilson('(n_valid + n_stale)', 'n', '+') }}, 12) end as valid_but_stale_high
from counted
order by slice_kind, slice
