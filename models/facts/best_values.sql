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
    group by subject_id, property_id
)

select
    statements.*,
    case
        when outcomes.stated = 1 then 'only_statement'
        when outcomes.any_superseded then 'latest_point_in_time'
        when outcomes.any_outranked then 'preferred_rank'
        when outcomes.any_ended then 'not_ended'
        when outcomes.chosen > 1 then 'one_of_several'
        else 'only_one_left'
    end as choice_reason,
    outcomes.stated - outcomes.chosen as alternatives
from {{ ref('statements') }} as statements
inner join {{ ref('value_choices') }} as value_choices
    on statements.statement_id = value_choices.statement_id and value_choices.is_chosen
inner join outcomes
    on statements.subject_id = outcomes.subject_id and statements.property_id = outcomes.property_id
