select
    cast(experiment_id as varchar) as experiment_id,
    cast(entity_id as varchar) as entity_id,
    cast(ordinal as bigint) as ordinal,
    cast(subject as varchar) as subject,
    cast(predicate as varchar) as predicate,
    cast(object as varchar) as object,
    cast(request_hash as varchar) as request_hash
from {{ source('landed_elicitation', 'triples') }}
