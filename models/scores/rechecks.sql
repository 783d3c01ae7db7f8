select
    changes.recheck_id,
    changes.question_id,
    questions.family,
    questions.topic,
    changes.status,
    changes.entity_id,
    changes.entity,
    changes.attribute,
    changes.old_value,
    changes.new_value,
    changes.old_answer,
    changes.new_answer,
    changes.relative_change,
    changes.is_answer_changed,
    changes.is_beyond_tolerance,
    changes.old_as_of,
    changes.new_as_of,
    changes.error,
    changes.endpoint,
    changes.checked_at
from {{ ref('stg_recheck__changes') }} as changes
left join {{ ref('questions') }} as questions on changes.question_id = questions.question_id
order by changes.recheck_id, changes.question_id, changes.status, changes.entity_id, changes.attribute
