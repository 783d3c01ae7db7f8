with outcomes as (
    select
        subject_id,
        property_id,
        count(*) as stated,
        count(*) filter (where is_chosen) as chosen,
        bool_or(reason = 'outranked') as any_outranked,
        bool_or(reason in ('superseded', 'undated')) as any_superseded,
        bool_or(reason = 'ended') as any_ended
    from {{ ref('value_choices') }}
    where reason <> 'behind_record'
    group by subject_id, property_id
),

survivors as (
    select
        value_choices.statement_id,
        case
            when outcomes.stated = 1 then 'only_statement'
            when outcomes.any_superseded then 'latest_point_in_time'
            when outcomes.any_outranked then 'preferred_rank'
            when outcomes.any_ended then 'not_ended'
            when outcomes.chosen > 1 then 'one_of_several'
            else 'only_one_left'
        end as choice_reason,
        outcomes.stated - outcomes.chosen as alternatives
    from {{ ref('value_choices') }} as value_choices
    inner join outcomes
        on value_choices.subject_id = outcomes.subject_id and value_choices.property_id = outcomes.property_id
    where value_choices.is_chosen
)

select
    statements.statement_id,
    statements.subject_id,
    statements.property_id,
    statements.value_kind,
    statements.value_entity,
    statements.value_num,
    statements.amount_text,
    statements.lower_bound,
    statements.upper_bound,
    statements.unit_id,
    statements.value_canonical,
    statements.unit_canonical,
    statements.value_time,
    statements.time_precision,
    statements.calendar,
    statements.value_text,
    statements.value_lang,
    statements.latitude,
    statements.longitude,
    statements.rank,
    statements.qualifiers,
    statements.reference_count,
    statements.source,
    statements.source_url,
    statements.fetched_at,
    statements.snapshot_id,
    statements.rounding_canonical,
    statements.value_year,
    statements.value_date,
    statements.point_in_time,
    statements.end_time,
    case when {{ is_recorded('statements') }} then survivors.choice_reason else 'filled_from_text' end as choice_reason,
    survivors.alternatives
from {{ ref('statements') }} as statements
inner join survivors on statements.statement_id = survivors.statement_id
order by statements.subject_id, statements.property_id, statements.statement_id
