select
    cast(entity_id as varchar) as entity_id,
    cast(class_id as varchar) as class_id,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(request_hash as varchar) as request_hash,
    cast(fetched_at as timestamp) as fetched_at,
    cast(snapshot_id as varchar) as snapshot_id
from {{ source('landed_wikidata', 'instances') }}
