with current_text as (
    select
        landed.*,
        coalesce(landed.original = question.question, false) as is_current
    from {{ ref('stg_llm__refinements') }} as landed
    left join {{ ref('questions') }} as question on landed.question_id = question.question_id
)

-- of several by the same two models, the newest that rewrites the present text
select
    refine_id,
    question_id,
    refiner,
    judge,
    original,
    rewrite,
    status,
    reason,
    detail,
    judge_same,
    judge_difference,
    is_unclear,
    unclear_reason,
    is_irrelevant,
    irrelevant_reason,
    is_loaded,
    loaded_reason,
    is_biased,
    biased_reason,
    refine_outcome,
    confirm_outcome,
    prompt_tokens,
    completion_tokens,
    cost_usd,
    refine_hash,
    confirm_hash,
    prompt_sha,
    refined_at,
    is_current
from current_text
qualify
    row_number() over (
        partition by question_id, refiner, judge
        order by is_current desc, refined_at desc, refine_id desc
    ) = 1
order by question_id, refiner, judge
