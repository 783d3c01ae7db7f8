{# F of the one-way analysis of variance, of Levene's test around medians and around means (scipy.stats.f_oneway, levene), and H of
   Kruskal and Wallis with the correction for ties (scipy.stats.kruskal). #}
with consulted as (
    select
        candidates.candidate_key,
        candidates.template_id,
        a.num as x,
        b.num as y,
        b.val as group_name
    from {{ ref('group_candidates') }} as candidates
    inner join {{ ref('scope_members') }} as members on candidates.scope_id = members.scope_id
    inner join {{ ref('entity_values') }} as a
        on members.topic = a.topic and members.entity_id = a.entity_id and candidates.first_attribute = a.attribute
    inner join {{ ref('entity_values') }} as b
        on members.topic = b.topic and members.entity_id = b.entity_id and candidates.second_attribute = b.attribute
    where candidates.template_id <> 'association_categories'
        and (candidates.first_group is null or b.val in (candidates.first_group, candidates.second_group))
),

samples as (
    select candidate_key, x as v, coalesce(group_name, 'first') as grp, 1 as is_entity from consulted
    union all
    select candidate_key, y as v, 'second' as grp, 0 as is_entity from consulted where template_id = 'variance_attributes'
),

centred as (
    select
        *,
        abs(v - median(v) over (partition by candidate_key, grp)) as from_median,
        abs(v - avg(v) over (partition by candidate_key, grp)) as from_mean,
        {{ average_rank('v', 'candidate_key') }} as place,
        count(*) over (partition by candidate_key, v) as n_tied
    from samples
),

groups as (
    select
        candidate_key,
        grp,
        count(*) as n,
        sum(is_entity) as n_entities,
        avg(v) as mean,
        var_pop(v) * count(*) as within,
        avg(from_median) as mean_from_median,
        var_pop(from_median) * count(*) as within_from_median,
        avg(from_mean) as mean_from_mean,
        var_pop(from_mean) * count(*) as within_from_mean,
        sum(place) as places,
        sum(power(n_tied, 2) - 1) as ties
    from centred
    group by candidate_key, grp
),

grand as (
    select
        *,
        {% for y in ('mean', 'mean_from_median', 'mean_from_mean') -%}
            sum(n * {{ y }}) over (partition by candidate_key) / sum(n) over (partition by candidate_key) as grand_{{ y }}{{ ',' if not loop.last }}
        {% endfor %}
    from groups
)

select
    candidate_key,
    cast(sum(n_entities) as bigint) as n_entities,
    cast(sum(n) as bigint) as n_values,
    count(*) as n_groups,
    min(n) as smallest_group,
    {% for name, mean, within in [
        ('f_oneway', 'mean', 'within'),
        ('levene_median', 'mean_from_median', 'within_from_median'),
        ('levene_mean', 'mean_from_mean', 'within_from_mean'),
    ] -%}
        sum(n * power({{ mean }} - grand_{{ mean }}, 2)) / (count(*) - 1)
        / nullif(sum({{ within }}) / (sum(n) - count(*)), 0) as {{ name }},
    {% endfor -%}
    (12 / (sum(n) * (sum(n) + 1.0)) * sum(power(places, 2) / n) - 3 * (sum(n) + 1))
    / nullif(1 - sum(ties) / (power(sum(n), 3) - sum(n)), 0) as kruskal
from grand
group by candidate_key
having count(*) > 1 and sum(n) > count(*)
