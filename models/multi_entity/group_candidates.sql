{# Samples to be compared: two groups of a topic on one attribute, two attributes of one unit in a scope, or all groups of a
   category in a scope. #}
with grouped as (
    select
        v.topic,
        v.attribute as first_attribute,
        g.attribute as second_attribute,
        g.val as group_name,
        count(*) as n
    from {{ ref('entity_values') }} as v
    inner join {{ ref('entity_values') }} as g on v.topic = g.topic and v.entity_id = g.entity_id
    inner join {{ ref('attributes') }} as a on v.topic = a.topic and v.attribute = a.attribute
    inner join {{ ref('attributes') }} as b on g.topic = b.topic and g.attribute = b.attribute
    where a.kind = 'number' and b.kind = 'category' and not b.is_multivalued and b.scope is not null
        and (a.hops = 1 or b.hops = 1)
    group by all
    having count(*) >= 5 and count(distinct v.num) > 1
),

two_groups as (
    select
        'variance_groups' as template_id,
        one.topic as scope_id,
        one.topic,
        one.first_attribute,
        one.second_attribute,
        one.group_name as first_group,
        two.group_name as second_group,
        one.n + two.n as n_at_most,
        concat_ws('/', one.topic, one.first_attribute, one.second_attribute, one.group_name, two.group_name) as candidate_key
    from grouped as one
    inner join grouped as two
        on one.topic = two.topic and one.first_attribute = two.first_attribute
        and one.second_attribute = two.second_attribute and one.group_name < two.group_name
    qualify row_number() over (
        partition by one.topic order by {{ draw('candidate_key', 'least(one.n, two.n)') }}
    ) <= {{ cap('variance_analysis', 1) }}
),

paired as (
    select
        case
            when pair_kind = 'number_category' then 'association_groups'
            when pair_kind = 'categories' then 'association_categories'
            when is_one_unit then 'variance_attributes'
        end as template_id,
        *
    from {{ ref('attribute_pairs') }}
    where pair_kind <> 'numbers' or is_one_unit
)

select * from two_groups

union all

select
    template_id,
    scope_id,
    topic,
    first_attribute,
    second_attribute,
    null as first_group,
    null as second_group,
    n_at_most,
    template_id || '/' || pair_key as candidate_key
from paired
qualify row_number() over (
    partition by topic, template_id order by {{ draw('pair_key', 'sqrt(n_at_most)') }}
) <= case
    when template_id = 'variance_attributes' then {{ cap('variance_analysis', 2) }}
    else {{ cap('descriptive_relationship', 3) }}
end
