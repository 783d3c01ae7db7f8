select
    cast(reference_id as varchar) as reference_id,
    cast(entity_id as varchar) as entity_id,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(title as varchar) as title,
    cast(outcome as varchar) as outcome,
    cast(error as varchar) as error,
    cast(extractor as varchar) as extractor,
    cast(n_characters as bigint) as n_characters,
    cast(n_passages as bigint) as n_passages,
    cast(n_triples as bigint) as n_triples,
    cast(n_unread as bigint) as n_unread,
    cast(prompt_tokens as bigint) as prompt_tokens,
    cast(completion_tokens as bigint) as completion_tokens,
    cast(cost_usd as double) as cost_usd,
    cast(retrieved_at as timestamp) as retrieved_at
from {{ source('landed_elicitation', 'references') }}
