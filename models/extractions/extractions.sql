-- What a newer reading of the same article gave stands in its place. A value that was kept is a statement of facts.statements; two
-- topics that read the same of an entity state it once.
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
    end as statement_id
from {{ ref('stg_extractions__extractions') }} as extractions
inner join {{ ref('extracted_pages') }} as readings
    on extractions.extraction_id = readings.extraction_id
    and extractions.topic = readings.topic
    and extractions.entity_id = readings.entity_id
order by extractions.topic, extractions.entity_id, extractions.ordinal
