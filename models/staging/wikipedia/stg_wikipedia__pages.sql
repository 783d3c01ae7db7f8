select
    cast(topic as varchar) as topic,
    cast(entity_id as varchar) as entity_id,
    cast(asked_title as varchar) as asked_title,
    cast(title as varchar) as title,
    cast(outcome as varchar) as outcome,
    cast(page_id as bigint) as page_id,
    cast(revision_id as bigint) as revision_id,
    cast(revision_timestamp as varchar) as revision_timestamp,
    cast(item_id as varchar) as item_id,
    cast(n_characters as bigint) as n_characters,
    cast(views as bigint) as views,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(request_hash as varchar) as request_hash,
    cast(fetched_at as timestamp) as fetched_at,
    cast(snapshot_id as varchar) as snapshot_id
from {{ source('landed_wikipedia', 'pages') }}
