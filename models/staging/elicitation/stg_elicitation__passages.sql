select
    cast(reference_id as varchar) as reference_id,
    cast(entity_id as varchar) as entity_id,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(ordinal as bigint) as ordinal,
    cast(text as varchar) as text
from {{ source('landed_elicitation', 'passages') }}
