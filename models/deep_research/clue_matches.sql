{# Everything in the warehouse that a clue is true of: through chains of the same two links to the same end, or by the same
   rounded value. Never fewer than hold for the entity it was made for. #}
with chain_clues as (
    select distinct
        clue_id,
        first_path,
        second_path,
        end_id
    from {{ ref('chains') }}
)

select distinct
    clue.clue_id,
    one.from_id as entity_id,
    'chain' as kind
from chain_clues as clue
inner join {{ ref('links') }} as two on clue.second_path = two.path and clue.end_id = two.to_id
inner join {{ ref('links') }} as one on clue.first_path = one.path and two.from_id = one.to_id
where one.from_id <> two.from_id and (one.from_id <> clue.end_id or not two.is_of_another)

union all

select
    clue_id,
    entity_id,
    'value' as kind
from {{ ref('value_clues') }}
