with terms as (
    select
        entity_id,
        min(started_on) as inaugurated_on,
        -- NULL while a term is still running
        case when count(*) = count(ended_on) then max(ended_on) end as left_office_on,
        case when count(*) = count(ended_on) then sum({{ days_between('started_on', 'ended_on') }}) end as days_in_office
    from {{ qualified('P39', value='Q11696', dates={'P580': 'started_on', 'P582': 'ended_on'}) }} as presidencies
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
        {{ text('P19') }} as birth_place,
        {{ category('P19/P131') }} as birth_state,
        {{ categories('P551') }} as home_states,
        {{ category('P102') }} as party,
        {{ categories('P69') }} as schools,
        {{ categories('P106') }} as occupations,
        {{ list_agg_sorted('value_name', "path = 'P39' and hop_entity_id != 'Q11696'") }} as earlier_offices,
        {{ boolean('P39', 'Q11699') }} as is_former_vice_president,
        {{ categories('P3342') }} as vice_presidents,
        {{ count_of('P3342') }} as vice_president_count
    from {{ topic_facts(classes=['Q5'], hops=['P19']) }}
    group by entity_id, label
    having {{ boolean('P39', 'Q11696') }}
)

select
    persons.*,
    terms.inaugurated_on,
    cast(extract(year from terms.inaugurated_on) as double) as inauguration_year,
    {{ years_between('persons.born_on', 'terms.inaugurated_on') }} as age_at_inauguration_years,
    {{ years_between('persons.born_on', 'persons.died_on') }} as age_at_death_years,
    terms.days_in_office,
    {{ years_between('terms.left_office_on', 'persons.died_on') }} as years_after_office,
    coalesce(persons.died_on = terms.left_office_on, false) as has_died_in_office
from persons
inner join terms on persons.entity_id = terms.entity_id
