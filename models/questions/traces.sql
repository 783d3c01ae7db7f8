select
    traces.question_id,
    splits.split,
    traces.domain,
    traces.clues,
    traces.entities,
    traces.properties,
    traces.computation,
    traces.answer
from {{ ref('research_traces') }} as traces
inner join {{ ref('splits') }} as splits on traces.topic = splits.topic
order by traces.question_id
