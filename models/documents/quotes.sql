-- The sentence is looked for again in what is landed, without the extractor's own code.
with readings as (
    select
        extractions.topic,
        extractions.entity_id,
        extractions.ordinal,
        extractions.statement_id,
        {{ quotable('extractions.sentence') }} as sentence
    from {{ ref('extractions') }} as extractions
    inner join {{ ref('pages') }} as pages
        on extractions.entity_id = pages.entity_id and extractions.revision_id = pages.revision_id
    where extractions.outcome = 'kept'
),

articles as (
    select
        entity_id,
        {{ quotable("string_agg(concat_ws(chr(10), heading, text), chr(10) order by ordinal)") }} as text
    from {{ ref('sections') }}
    where entity_id in (select readings.entity_id from readings)
    group by entity_id
),

boxes as (
    select
        entity_id,
        {{ quotable("string_agg(field || ': ' || replace(value_plain, chr(10), '; '), chr(10) order by position)") }} as text
    from {{ ref('infobox_fields') }}
    where value_plain is not null and entity_id in (select readings.entity_id from readings)
    group by entity_id
)

select
    readings.topic,
    readings.entity_id,
    readings.ordinal,
    readings.statement_id,
    contains(coalesce(articles.text, ''), readings.sentence)
    or contains(coalesce(boxes.text, ''), readings.sentence) as is_in_article
from readings
left join articles on readings.entity_id = articles.entity_id
left join boxes on readings.entity_id = boxes.entity_id
order by readings.topic, readings.entity_id, readings.ordinal
