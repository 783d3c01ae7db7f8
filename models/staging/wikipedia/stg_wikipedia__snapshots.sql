select
    cast(snapshot_id as varchar) as snapshot_id,
    cast(as_of as date) as as_of,
    cast(endpoint as varchar) as endpoint,
    cast(dataset as varchar) as dataset,
    cast(topic as varchar) as topic,
    cast(files as integer) as files,
    cast(row_count as bigint) as row_count,
    cast(content_hash as varchar) as content_hash,
    cast(landed_at as timestamp) as landed_at
from {{ source('landed_wikipedia', 'snapshots') }}
