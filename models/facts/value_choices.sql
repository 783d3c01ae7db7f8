-- One column a step, so that each step of the choice can be read, and tested, by itself.
with snapshot as (
    {{ current_as_of_key() }}
),

candidates as (
    select
        statements.statement_id,
        statements.subject_id,
        statements.property_id,
        statements.rank,
        statements.value_kind,
        statements.reference_count,
        coalesce(properties.varies_with_time, false) as varies_with_time,
        {{ time_key('statements.point_in_time') }} as dated,
        {{ time_key_end('statements.end_time') }} as ended,
        -- Money of two currencies is never compared, so each currency keeps its own latest value.
        case when units.dimension like 'currency%' then units.dimension end as currency,
        {{ unusable_because('statements', 'units') }} as unusable,
        {{ value_key('statements') }} as value_key,
        -- What a model read in an article stands only where nothing at all is recorded.
        case
            when agreement.verdict != 'silent' then 'behind_record'
            when agreement.verdict = 'silent' and not trust.is_trusted then 'not_trusted'
        end as lost_as_text
    from {{ ref('statements') }} as statements
    left join {{ ref('properties') }} as properties on statements.property_id = properties.property_id
    left join {{ ref('units') }} as units on statements.unit_id = units.unit_id
    left join {{ ref('text_agreement') }} as agreement on statements.statement_id = agreement.statement_id
    left join {{ ref('text_trust') }} as trust
        on agreement.extractor = trust.extractor and agreement.property_id = trust.property_id
),

by_rank as (
    select
        *,
        case
            when lost_as_text is not null then lost_as_text
            when rank = 'deprecated' then 'deprecated'
            when
                rank != 'preferred'
                and bool_or(rank = 'preferred') over (partition by subject_id, property_id)
                then 'outranked'
        end as lost_by_rank
    from candidates
),

by_end as (
    select
        by_rank.*,
        coalesce(
            by_rank.lost_by_rank,
            case when by_rank.varies_with_time and by_rank.ended < snapshot.as_of_key then 'ended' end
        ) as lost_by_end
    from by_rank
    cross join snapshot
),

by_time as (
    select
        *,
        case
            when lost_by_end is not null then lost_by_end
            when
                varies_with_time
                and coalesce(dated, -1e18)
                < max(dated) filter (where lost_by_end is null) over (partition by subject_id, property_id, currency)
                then case when dated is null then 'undated' else 'superseded' end
            else unusable
        end as lost_by_time
    from by_end
),

by_value as (
    select
        *,
        case
            when lost_by_time is not null then lost_by_time
            when
                row_number() over (
                    partition by subject_id, property_id, value_key, lost_by_time
                    order by dated desc nulls last, reference_count desc, statement_id asc
                ) > 1 then 'duplicate'
        end as lost
    from by_time
)

select
    statement_id,
    subject_id,
    property_id,
    lost is null as is_chosen,
    coalesce(lost, 'chosen') as reason
from by_value
order by subject_id, property_id, statement_id
