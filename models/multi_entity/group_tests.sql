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

centres as (
    select
        candidate_key,
        grp,
        median(v) as median,
        {{ in_one_order('avg', 'v') }} as mean
    from samples
    group by candidate_key, grp
),

centred as (
    select
        samples.*,
        abs(v - centres.median) as from_median,
        abs(v - centres.mean) as from_mean,
        {{ average_rank('v', 'samples.candidate_key') }} as place,
        count(*) over (partition by samples.candidate_key, v) as n_tied
    from samples
    inner join centres on samples.candidate_key = centres.candidate_key and samples.grp = centres.grp
),

groups as (
    select
        candidate_key,
        grp,
        count(*) as n,
        sum(is_entity) as n_entities,
        {% for y, of in [('v', ''), ('from_median', '_from_median'), ('from_mean', '_from_mean')] -%}
            {{ in_one_order('avg', y) }} as mean{{ of }},
            {{ in_one_order('var_pop', y) }} * count(*) as within{{ of }},
        {% endfor -%}
        sum(place) as places,
        sum(power(n_tied, 2) - 1) as ties
    from centred
    group by candidate_key, grp
),

grand as (
    select
        candidate_key,
        {% for y in ('mean', 'mean_from_median', 'mean_from_mean') -%}
            {{ in_one_order('sum', 'n * ' ~ y) }} / sum(n) as grand_{{ y }}{{ ',' if not loop.last }}
        {% endfor %}
    from groups
    group by candidate_key
)

select
    groups.candidate_key,
    cast(sum(n_entities) as bigint) as n_entities,
    cast(sum(n) as bigint) as n_values,
    count(*) as n_groups,
    min(n) as smallest_group,
    {% for name, mean, within in [
        ('f_oneway', 'mean', 'within'),
        ('levene_median', 'mean_from_median', 'within_from_median'),
        ('levene_mean', 'mean_from_mean', 'within_from_mean'),
    ] -%}
        {{ in_one_order('sum', 'n * power(' ~ mean ~ ' - grand_' ~ mean ~ ', 2)') }} / (count(*) - 1)
        / nullif({{ in_one_order('sum', within) }} / (sum(n) - count(*)), 0) as {{ name }},
    {% endfor -%}
    (12 / (sum(n) * (sum(n) + 1.0)) * {{ in_one_order('sum', 'power(places, 2) / n') }} - 3 * (sum(n) + 1))
    / nullif(1 - sum(ties) / (power(sum(n), 3) - sum(n)), 0) as kruskal
from groups
inner join grand on groups.candidate_key = grand.candidate_key
group by groups.candidate_key
having count(*) > 1 and sum(n) > count(*)
