with rewrites as (
    select
        refined.question_id,
        refined.rewrite,
        refined.refiner,
        refined.judge,
        refined.refined_at
    from {{ ref('refinements') }} as refined
    left join {{ ref('questions') }} as same on refined.rewrite = same.question
    where refined.is_current and refined.status = 'accepted' and same.question_id is null
    -- a text is asked once, whoever wrote it first
    qualify
        row_number() over (
            partition by refined.rewrite
            order by refined.refined_at, refined.question_id, refined.refiner, refined.judge
        ) = 1
)

select
    question_id,
    cast(0 as bigint) as wording,
    question,
    'minted' as source,
    cast(null as varchar) as refiner,
    cast(null as varchar) as judge,
    cast(null as timestamp) as refined_at
from {{ ref('questions') }}
union all
select
    question_id,
    row_number() over (partition by question_id order by refined_at, refiner, judge) as wording,
    rewrite as question,
    'refined' as source,
    refiner,
    judge,
    refined_at
from rewrites
order by question_id, wording
