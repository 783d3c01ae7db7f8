{# Two single-valued attributes of one topic asked about together, drawn for each scope: number with number, number with
   category, category with category. #}
with usable as (
    select
        topic,
        attribute,
        position,
        kind,
        hops,
        unit,
        is_year
    from {{ ref('attributes') }}
    where not is_multivalued and kind in ('number', 'category') and (kind = 'number' or phrase_plural is not null)
),

pairs as (
    select
        a.topic,
        case when a.kind = 'number' and b.kind = 'number' then 'numbers'
            when a.kind = 'category' and b.kind = 'category' then 'categories'
            else 'number_category' end as pair_kind,
        case when a.kind = 'category' and b.kind = 'number' then b.attribute else a.attribute end as first_attribute,
        case when a.kind = 'category' and b.kind = 'number' then a.attribute else b.attribute end as second_attribute,
        a.kind = 'number' and b.kind = 'number' and a.unit = b.unit and a.hops = 1 and b.hops = 1 and not a.is_year as is_one_unit
    from usable as a
    inner join usable as b on a.topic = b.topic and a.position < b.position
    -- two facts of the same intermediate entity say nothing about the entities themselves
    where a.hops = 1 or b.hops = 1
),

widths as (
    select
        scope_id,
        attribute,
        n
    from {{ ref('scope_numbers') }}
    where n >= 8 and n_distinct > 1

    union all

    select
        scope_id,
        attribute,
        max(n) as n
    from {{ ref('scope_categories') }}
    group by all
    having max(n) >= 8 and max(n_values) between 2 and 30
)

select
    scope.scope_id,
    scope.topic,
    pairs.pair_kind,
    pairs.first_attribute,
    pairs.second_attribute,
    pairs.is_one_unit,
    least(first_width.n, second_width.n) as n_at_most,
    scope.scope_id || '/' || pairs.first_attribute || '&' || pairs.second_attribute as pair_key
from {{ ref('scopes') }} as scope
inner join pairs on scope.topic = pairs.topic
inner join widths as first_width
    on scope.scope_id = first_width.scope_id and pairs.first_attribute = first_width.attribute
inner join widths as second_width
    on scope.scope_id = second_width.scope_id and pairs.second_attribute = second_width.attribute
where not scope.is_twin
