select
    cast(topic as varchar) as topic,
    cast(entity_id as varchar) as entity_id,
    cast(ordinal as integer) as ordinal,
    cast(level as integer) as level,
    cast(heading as varchar) as heading,
    cast(text as varchar) as text,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(request_hash as varchar) as request_hash,
    cast(fetched_at as timestamp) as fetched_at,
    cast(snapshot_id as varchar) as snapshot_id
from {{ source('landed_wikipedia', 'sections') }}
