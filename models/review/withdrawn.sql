select
    reviewed.question_id,
    coalesce(reviewed.error_category, 'several') as reason,
    reviewed.decided_by,
    reviewed.notes,
    reviewed.sheet_id,
    reviewed.snapshot_id
from {{ ref('adjudicated') }} as reviewed
-- only while it is what was judged: fresh data may have mended the answer, an edit the wording
inner join {{ ref('questions') }} as question
    on reviewed.question_id = question.question_id and reviewed.question = question.question
        and reviewed.gold_answer = question.gold_answer
where not reviewed.is_valid
order by reviewed.question_id
