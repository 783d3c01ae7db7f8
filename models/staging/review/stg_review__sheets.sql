select
    cast(sheet_id as varchar) as sheet_id,
    cast(kind as varchar) as kind,
    cast(item as varchar) as item,
    cast(question_id as varchar) as question_id,
    cast(run_id as varchar) as run_id,
    cast(sample as bigint) as sample,
    cast(family as varchar) as family,
    cast(category as varchar) as category,
    cast(type as varchar) as type,
    cast(topic as varchar) as topic,
    cast(question as varchar) as question,
    cast(gold_answer as varchar) as gold_answer,
    cast(shown as json) as shown,
    cast(snapshot_id as varchar) as snapshot_id,
    cast(written_at as timestamp) as written_at
from {{ source('landed_review', 'sheets') }}
