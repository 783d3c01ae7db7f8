-- Variants are no later state of the facts, so that they are left out.
with snapshots as (
    select
        snapshot_id,
        lag(snapshot_id) over (order by as_of, snapshot_id) as old_snapshot_id
    from {{ ref('question_history') }}
    where variant is null
    group by snapshot_id, as_of
),

earlier as (
    select
        snapshots.snapshot_id as new_snapshot_id,
        history.*
    from snapshots
    inner join {{ ref('question_history') }} as history on snapshots.old_snapshot_id = history.snapshot_id
),

later as (
    select
        snapshots.old_snapshot_id,
        history.*
    from snapshots
    inner join {{ ref('question_history') }} as history on snapshots.snapshot_id = history.snapshot_id
    where snapshots.old_snapshot_id is not null
),

compared as (
    select
        coalesce(later.old_snapshot_id, earlier.snapshot_id) as old_snapshot_id,
        coalesce(later.snapshot_id, earlier.new_snapshot_id) as new_snapshot_id,
        coalesce(later.question_id, earlier.question_id) as question_id,
        coalesce(later.family, earlier.family) as family,
        coalesce(later.topic, earlier.topic) as topic,
        coalesce(later.type, earlier.type) as type,
        coalesce(later.question, earlier.question) as question,
        case
            when earlier.question_id is null then 'new'
            when later.question_id is null then 'gone'
            else 'changed'
        end as status,
        earlier.gold_answer as old_answer,
        later.gold_answer as new_answer,
        (later.gold_value - earlier.gold_value) / nullif(abs(earlier.gold_value), 0) as relative_change,
        abs(later.gold_value - earlier.gold_value) > earlier.tolerance * abs(earlier.gold_value) as is_beyond_tolerance
    from earlier
    full outer join later
        on earlier.question_id = later.question_id and earlier.new_snapshot_id = later.snapshot_id
    where earlier.gold_answer is distinct from later.gold_answer
)

select
    old_snapshot_id,
    new_snapshot_id,
    question_id,
    family,
    topic,
    type,
    question,
    status,
    old_answer,
    new_answer,
    {{ round_significant('relative_change', 12) }} as relative_change,
    case when status = 'changed' then coalesce(is_beyond_tolerance, true) end as is_beyond_tolerance
from compared
order by old_snapshot_id, new_snapshot_id, question_id
