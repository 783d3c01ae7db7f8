{# A hub gives a dozen of its links, chosen by hash. Chains through things, and along pairs of links, that most chains have count
   less; of one pair of links an entity keeps two, and twenty in all. #}
with some_links as (
    select *
    from {{ ref('links') }}
    qualify row_number() over (partition by from_id, path order by {{ hash_fraction('from_id || to_id') }}, to_id) <= 12
),

walked as (
    select distinct
        entity.entity_id,
        one.path as first_path,
        two.path as second_path,
        one.to_id as mid_id,
        two.to_id as end_id
    from {{ ref('research_entities') }} as entity
    inner join some_links as one on entity.entity_id = one.from_id and one.can_begin
    inner join some_links as two on one.to_id = two.from_id and two.can_end
    where two.to_id not in (entity.entity_id, one.to_id)
),

weighed as (
    select
        *,
        1.0 / (
            count(*) over (partition by mid_id) * count(*) over (partition by first_path, second_path)
        ) as weight,
        row_number() over (
            partition by entity_id, first_path, second_path order by {{ hash_fraction('entity_id || end_id') }}, end_id, mid_id
        ) as turn
    from walked
)

select
    entity_id,
    {{ stable_id(['first_path', 'second_path', 'end_id']) }} as clue_id,
    first_path,
    second_path,
    mid_id,
    end_id,
    weight
from weighed
where turn <= 2
qualify row_number() over (partition by entity_id order by weight desc, first_path, second_path, end_id, mid_id) <= 20
