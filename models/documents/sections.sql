select
    sections.entity_id,
    sections.ordinal,
    sections.level,
    sections.heading,
    sections.text,
    length(sections.text) as n_characters,
    {{ has_wikitext('sections.text') }} as has_wikitext
from {{ ref('stg_wikipedia__sections') }} as sections
inner join {{ ref('pages') }} as pages
    on sections.entity_id = pages.entity_id
    and sections.topic = pages.topic
    and sections.snapshot_id = pages.snapshot_id
    and sections.request_hash = pages.request_hash
order by sections.entity_id, sections.ordinal
