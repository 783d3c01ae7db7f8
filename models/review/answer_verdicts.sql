with voted as (
    select
        sheet_id,
        item,
        run_id,
        question_id,
        sample,
        written_at,
        count(*) filter (where not is_third) as n_annotators,
        max(verdict) filter (where is_third) as third,
        max(verdict) filter (where not is_third) as most,
        min(verdict) filter (where not is_third) as least
    from {{ ref('answer_labels') }}
    group by sheet_id, item, run_id, question_id, sample, written_at
),

decided as (
    select
        *,
        coalesce(third = 'right', case when most = least then most = 'right' end) as is_right
    from voted
),

-- of several sheets the last on which it was decided
placed as (
    select
        *,
        row_number() over (
            partition by run_id, question_id, sample
            order by case when is_right is null then 1 else 0 end, written_at desc, sheet_id desc
        ) as place
    from decided
)

select
    run_id,
    question_id,
    sample,
    sheet_id,
    item,
    n_annotators,
    is_right,
    case when third is not null then 'adjudicated' when most = least then 'agreed' end as decided_by,
    is_right is null as needs_third
from placed
where place = 1
order by run_id, question_id, sample
