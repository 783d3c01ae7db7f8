select
    reference_id,
    entity_id,
    source,
    source_url,
    title,
    outcome,
    error,
    extractor,
    n_characters,
    n_passages,
    n_triples,
    n_unread,
    prompt_tokens,
    completion_tokens,
    cost_usd,
    retrieved_at,
    -- of several corpora that read the same source of an entity, the newest counts
    row_number() over (
        partition by entity_id, source, source_url
        order by retrieved_at desc, reference_id desc
    ) = 1 as is_current
from {{ ref('stg_elicitation__references') }}
order by reference_id, entity_id, source, source_url
