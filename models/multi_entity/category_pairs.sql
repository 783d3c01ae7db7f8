{# Two values of a category in one scope, neighbours in a hash order, with their sizes. #}
with placed as (
    select
        categories.*,
        row_number() over (
            partition by categories.scope_id, categories.attribute
            order by {{ hash_fraction("categories.scope_id || '/' || categories.attribute || '=' || categories.val") }}, categories.val
        ) as place
    from {{ ref('scope_categories') }} as categories
    inner join {{ ref('attributes') }} as attribute
        on categories.topic = attribute.topic and categories.attribute = attribute.attribute
    where attribute.kind = 'category' and attribute.member is not null and categories.n_members >= 2
),

paired as (
    select
        one.scope_id,
        one.topic,
        one.attribute,
        one.val as first_val,
        two.val as second_val,
        one.n_members as first_n,
        two.n_members as second_n,
        concat_ws('/', one.scope_id, one.attribute, least(one.val, two.val), greatest(one.val, two.val)) as pair_key
    from placed as one
    inner join placed as two
        on one.scope_id = two.scope_id and one.attribute = two.attribute and one.place + 1 = two.place
    inner join {{ ref('scopes') }} as scope on one.scope_id = scope.scope_id
    where not scope.is_twin
    qualify row_number() over (
        partition by one.topic order by {{ draw('pair_key', 'sqrt(one.n_members + two.n_members)') }}
    ) <= 2 * {{ cap('intercomparison', 2) }}
),

consulted as (
    select
        paired.pair_key,
        count(distinct members.entity_id) as n
    from paired
    inner join {{ ref('scope_members') }} as members on paired.scope_id = members.scope_id
    inner join {{ ref('entity_values') }} as facts
        on members.topic = facts.topic and members.entity_id = facts.entity_id and paired.attribute = facts.attribute
        and facts.val in (paired.first_val, paired.second_val)
    group by all
)

select
    paired.*,
    consulted.n
from paired
inner join consulted on paired.pair_key = consulted.pair_key
