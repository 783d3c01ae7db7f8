-- Of a topic's article the reading that was made last stands, and a failed one only where there is no other.
select
    extraction_id,
    topic,
    entity_id,
    title,
    source_url,
    revision_id,
    page_snapshot_id,
    outcome,
    error,
    extractor,
    n_characters,
    n_passages,
    n_unread,
    n_values,
    n_kept,
    n_ungrounded,
    n_repeated,
    prompt_tokens,
    completion_tokens,
    cost_usd,
    extracted_at
from {{ ref('stg_extractions__extracted_pages') }}
qualify row_number() over (partition by topic, entity_id order by outcome = 'failed' asc, extracted_at desc, extraction_id desc) = 1
order by topic, entity_id
