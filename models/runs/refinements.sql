with current_text as (
    select
        landed.*,
        coalesce(landed.original = question.question, false) as is_current
    from {{ ref('stg_llm__refinements') }} as landed
    left join {{ ref('questions') }} as question on landed.question_id = question.question_id
)

-- of several by the same two models, the newest that rewrites the present text
select *
from current_text
qualify
    row_number() over (
        partition by question_id, refiner, judge
        order by is_current desc, refined_at desc, refine_id desc
    ) = 1
order by question_id, refiner, judge
