{# What may be said of an entity: its chains and its values, but for what is true of it alone. #}
with sizes as (
    select
        clue_id,
        count(*) as n
    from {{ ref('clue_matches') }}
    group by clue_id
),

candidates as (
    select
        chains.entity_id,
        chains.clue_id,
        'chain' as kind,
        chains.first_path || ' ' || chains.second_path as about,
        min(chains.end_id) as end_id,
        min(chains.mid_id) as mid_id
    from {{ ref('chains') }} as chains
    group by all

    union all

    select
        entity_id,
        clue_id,
        'value' as kind,
        attribute as about,
        clue_id as end_id,
        clue_id as mid_id
    from {{ ref('value_clues') }}
    where can_be_given and entity_id in (select entity_id from {{ ref('research_entities') }})
)

select
    candidates.*,
    sizes.n
from candidates
inner join sizes on candidates.clue_id = sizes.clue_id
where sizes.n > 1
