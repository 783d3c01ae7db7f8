select
    cast(entity_id as varchar) as entity_id,
    cast(label as varchar) as label,
    cast(label_lang as varchar) as label_lang,
    cast(description as varchar) as description,
    cast(aliases as varchar[]) as aliases,
    cast(wikipedia_title as varchar) as wikipedia_title,
    cast(sitelinks as integer) as sitelinks,
    cast(redirect_to as varchar) as redirect_to,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(request_hash as varchar) as request_hash,
    cast(fetched_at as timestamp) as fetched_at,
    cast(snapshot_id as varchar) as snapshot_id
from {{ source('landed_wikidata', 'entities') }}
