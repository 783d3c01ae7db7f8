select
    infobox_fields.entity_id,
    infobox_fields.position,
    infobox_fields.template,
    infobox_fields.field,
    infobox_fields.value_wikitext,
    infobox_fields.value_plain,
    infobox_fields.links
from {{ ref('stg_wikipedia__infobox_fields') }} as infobox_fields
inner join {{ ref('pages') }} as pages
    on infobox_fields.entity_id = pages.entity_id
    and infobox_fields.topic = pages.topic
    and infobox_fields.snapshot_id = pages.snapshot_id
    and infobox_fields.request_hash = pages.request_hash
order by infobox_fields.entity_id, infobox_fields.position
