with current_one as (
    {{ current_snapshot_id() }}
)

select
    snapshots.snapshot_id,
    snapshots.as_of,
    snapshots.endpoint,
    snapshots.dataset,
    snapshots.topic,
    snapshots.files,
    snapshots.row_count,
    snapshots.content_hash,
    snapshots.landed_at,
    current_one.snapshot_id is not null as is_current
from {{ ref('stg_wikidata__snapshots') }} as snapshots
left join current_one on snapshots.snapshot_id = current_one.snapshot_id
order by snapshots.landed_at, snapshots.snapshot_id, snapshots.dataset, snapshots.topic
