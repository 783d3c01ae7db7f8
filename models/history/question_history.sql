{% set columns = [
    'snapshot_id', 'as_of', 'question_id', 'family', 'category', 'type', 'topic', 'template_id', 'question', 'attributes',
    'operation', 'hops', 'entity_count', 'density', 'split', 'gold_kind', 'gold_value', 'gold_answer', 'gold_unit', 'tolerance',
    'n_entities', 'n_properties', 'cci',
] %}
with days as (
    select
        snapshot_id,
        max(as_of) as as_of
    from {{ ref('snapshots') }}
    group by snapshot_id
),

standing as (
    select
        questions.*,
        days.as_of
    from {{ ref('questions') }} as questions
    left join days on {{ base_of_snapshot('questions.snapshot_id') }} = days.snapshot_id
),

-- what was published of the current snapshot before is replaced by what stands
earlier as (
    select *
    from {{ ref('stg_history__questions') }}
    where snapshot_id not in (select snapshot_id from standing)
),

listed as (
    select
        {{ columns | join(', ') }},
        false as is_current
    from earlier
    union all
    select
        {{ columns | join(', ') }},
        true as is_current
    from standing
)

select
    {{ columns | join(', ') }},
    {{ variant_of_snapshot('snapshot_id') }} as variant,
    is_current
from listed
order by snapshot_id, question_id
