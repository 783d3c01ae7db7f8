select
    question_id,
    'multi_entity' as family,
    type,
    topic,
    question,
    reason,
    detail
from {{ ref('judged') }}
where reason is not null
order by question_id
