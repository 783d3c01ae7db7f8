-- In the columns that statements land with. Two topics may have read the same sentence: it is one statement.
select
    statement_id,
    entity_id as subject_id,
    property_id,
    value_kind,
    value_entity,
    amount_text,
    lower_text,
    upper_text,
    unit_id,
    value_time,
    time_precision,
    calendar,
    value_text,
    value_lang,
    cast(null as double) as latitude,
    cast(null as double) as longitude,
    'normal' as rank,
    case
        when point_in_time is null then cast('{}' as json)
        else json_object('P585', json_array(json_object(
            'kind', 'time',
            'value', point_in_time,
            'precision', case when point_in_time like '%-00-00T%' then 9 when point_in_time like '%-00T%' then 10 else 11 end,
            'calendar', 'gregorian'
        )))
    end as qualifiers,
    1 as reference_count,
    'wikipedia' as source,
    source_url,
    request_hash,
    extracted_at as fetched_at,
    page_snapshot_id as snapshot_id
from {{ ref('extractions') }}
where outcome = 'kept'
qualify row_number() over (partition by statement_id order by extracted_at desc, topic asc, ordinal asc) = 1
order by statement_id
