with awards as (
    select
        entity_id,
        min(won_year) as award_year,
        count(*) as awards,
        max(proportion) as proportion
    from {{ qualified('P166', value='Q44585', years={'P585': 'won_year'}, numbers={'P1107': 'proportion'}) }} as won
    group by entity_id
),

persons as (
    select
        entity_id,
        label,
        {{ date('P569') }} as born_on,
        {{ date('P570') }} as died_on,
        {{ year('P569') }} as birth_year,
        {{ year('P570') }} as death_year,
        {{ category('P21') }} as gender,
        {{ category('P19') }} as birth_country,
        {{ category('P19/P30') }} as birth_continent,
        {{ categories('P937') }} as work_countries,
        {{ category('P937') }} as work_country,
        {{ category('P937/P30') }} as work_continent,
        {{ categories('P1416') }} as institutions,
        {{ category('P101') }} as field
    from {{ topic_facts(classes=['Q5'], hops=['P19', 'P937']) }}
    group by entity_id, label
    having {{ boolean('P166', 'Q44585') }}
)

select
    persons.*,
    awards.award_year,
    awards.award_year - persons.birth_year as award_age_years,
    {{ years_between('persons.born_on', 'persons.died_on') }} as age_at_death_years,
    -- two awards to one person may have been shared in two ways
    case
        when awards.awards > 1 then null
        when awards.proportion = 1 then 'the whole'
        when awards.proportion = 0.5 then 'one half'
        when awards.proportion = 0.25 then 'one quarter'
        else 'one third'
    end as award_share
from persons
inner join awards on persons.entity_id = awards.entity_id
-- counts and shares hold for good only up to a stated year
where awards.award_year <= 2025
