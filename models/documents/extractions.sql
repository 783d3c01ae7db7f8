-- What a newer reading of the same article gave stands in its place. A value that was kept is a statement of facts.statements; two
-- topics that read the same of an entity state it once.
with articles as (
    select
        entity_id,
        {{ quotable("string_agg(concat_ws(chr(10), heading, text), chr(10) order by ordinal)") }} as text
    from {{ ref('sections') }}
    where entity_id in (select entity_id from {{ ref('extracted_pages') }})
    group by entity_id
),

boxes as (
    select
        entity_id,
        {{ quotable("string_agg(field || ': ' || replace(value_plain, chr(10), '; '), chr(10) order by position)") }} as text
    from {{ ref('infobox_fields') }}
    where value_plain is not null and entity_id in (select entity_id from {{ ref('extracted_pages') }})
    group by entity_id
)

select
    extractions.extraction_id,
    extractions.topic,
    extractions.entity_id,
    extractions.attribute,
    extractions.property_id,
    extractions.ordinal,
    extractions.outcome,
    extractions.stated_value,
    extractions.stated_unit,
    extractions.stated_when,
    extractions.sentence,
    extractions.heading,
    extractions.value_kind,
    extractions.value_entity,
    extractions.amount_text,
    extractions.lower_text,
    extractions.upper_text,
    extractions.unit_id,
    extractions.value_time,
    extractions.time_precision,
    extractions.calendar,
    extractions.value_text,
    extractions.value_lang,
    extractions.point_in_time,
    extractions.request_hash,
    extractions.extractor,
    extractions.source_url,
    extractions.revision_id,
    extractions.page_snapshot_id,
    extractions.extracted_at,
    case
        when extractions.outcome = 'kept'
            then 'wikipedia:' || {{ stable_id([
                'extractions.entity_id', 'extractions.property_id', 'extractions.value_kind', 'extractions.value_entity',
                'extractions.amount_text', 'extractions.lower_text', 'extractions.upper_text', 'extractions.unit_id',
                'extractions.value_time', 'extractions.time_precision', 'extractions.calendar', 'extractions.value_text',
                'extractions.value_lang', 'extractions.point_in_time',
            ]) }}
    end as statement_id,
    case
        when landed.revision_id = extractions.revision_id
            then contains(coalesce(articles.text, ''), {{ quotable('extractions.sentence') }})
                or contains(coalesce(boxes.text, ''), {{ quotable('extractions.sentence') }})
    end as is_quoted
from {{ ref('stg_extractions__extractions') }} as extractions
inner join {{ ref('extracted_pages') }} as readings
    on extractions.extraction_id = readings.extraction_id
    and extractions.topic = readings.topic
    and extractions.entity_id = readings.entity_id
left join {{ ref('pages') }} as landed on extractions.entity_id = landed.entity_id
left join articles on extractions.entity_id = articles.entity_id
left join boxes on extractions.entity_id = boxes.entity_id
order by extractions.topic, extractions.entity_id, extractions.ordinal
