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

union all

select
    question_id,
    'deep_research' as family,
    reasoning as type,
    topic,
    question,
    reason,
    detail
from {{ ref('research_judged') }}
where reason is not null
order by question_id
