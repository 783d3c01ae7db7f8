select
    cast(reference_id as varchar) as reference_id,
    cast(entity_id as varchar) as entity_id,
    cast(ordinal as bigint) as ordinal,
    cast(subject as varchar) as subject,
    cast(predicate as varchar) as predicate,
    cast(object as varchar) as object,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(sentence as varchar) as sentence,
    cast(request_hash as varchar) as request_hash
from {{ source('landed_elicitation', 'reference_triples') }}
