select
    cast(topic as varchar) as topic,
    cast(entity_id as varchar) as entity_id,
    cast(position as integer) as position,
    cast(template as varchar) as template,
    cast(field as varchar) as field,
    cast(value_wikitext as varchar) as value_wikitext,
    cast(value_plain as varchar) as value_plain,
    cast(links as varchar[]) as links,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(request_hash as varchar) as request_hash,
    cast(fetched_at as timestamp) as fetched_at,
    cast(snapshot_id as varchar) as snapshot_id
from {{ source('landed_wikipedia', 'infobox_fields') }}
