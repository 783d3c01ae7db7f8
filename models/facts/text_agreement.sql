-- Any standing statement may bear a text out, not only the one that was chosen: a text may speak of an earlier year.
with read_once as (
    select *
    from {{ ref('extractions') }}
    where outcome = 'kept'
    qualify row_number() over (partition by statement_id order by extracted_at desc, topic asc, ordinal asc) = 1
),

pairs as (
    select
        stated.statement_id,
        recorded.statement_id as recorded_id,
        case
            when recorded.rank = 'deprecated' or recorded.value_kind <> stated.value_kind then null
            when stated.value_kind = 'entity' then stated.value_entity = recorded.value_entity
            when stated.value_kind = 'text' then lower(stated.value_text) = lower(recorded.value_text)
            when stated.value_kind = 'quantity' and coalesce(stated.unit_canonical, '') = coalesce(recorded.unit_canonical, '')
                then abs(stated.value_canonical - recorded.value_canonical)
                    <= coalesce(stated.rounding_canonical, 0) + coalesce(recorded.rounding_canonical, 0)
                    + 1e-9 * abs(recorded.value_canonical)
            when stated.value_kind = 'time' and least(stated.time_precision, recorded.time_precision) >= 9
                then {{ same_time('stated', 'recorded') }}
        end as is_same
    from {{ ref('statements') }} as stated
    left join {{ ref('statements') }} as recorded
        on stated.subject_id = recorded.subject_id
        and stated.property_id = recorded.property_id
        and {{ is_recorded('recorded') }}
    where not {{ is_recorded('stated') }}
),

judged as (
    select
        statement_id,
        case
            when count(recorded_id) = 0 then 'silent'
            when bool_or(is_same) then 'agrees'
            when bool_or(is_same is not null) then 'conflicts'
            else 'not_compared'
        end as verdict,
        coalesce(min(recorded_id) filter (where is_same), min(recorded_id)) as recorded_id
    from pairs
    group by statement_id
)

select
    stated.statement_id,
    stated.subject_id,
    stated.property_id,
    read_once.topic,
    read_once.attribute,
    read_once.extractor,
    read_once.sentence,
    read_once.stated_value,
    read_once.stated_unit,
    judged.verdict,
    judged.recorded_id,
    {{ written_value('recorded') }} as recorded_value,
    stated.source_url,
    stated.fetched_at
from judged
inner join {{ ref('statements') }} as stated on judged.statement_id = stated.statement_id
inner join read_once on judged.statement_id = read_once.statement_id
left join {{ ref('statements') }} as recorded on judged.recorded_id = recorded.statement_id
order by stated.subject_id, stated.property_id, stated.statement_id
