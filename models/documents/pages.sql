-- Of each topic what was landed whole last; of an entity of several topics the page that was fetched last.
with complete as (
    select
        topic,
        snapshot_id
    from {{ ref('stg_wikipedia__snapshots') }}
    qualify row_number() over (partition by topic order by landed_at desc, snapshot_id desc) = 1
)

select
    pages.entity_id,
    pages.topic,
    pages.asked_title,
    pages.title,
    pages.source_url as url,
    pages.outcome,
    pages.page_id,
    pages.revision_id,
    pages.revision_timestamp,
    pages.item_id,
    pages.n_characters,
    pages.views,
    pages.request_hash,
    pages.fetched_at,
    pages.snapshot_id
from {{ ref('stg_wikipedia__pages') }} as pages
inner join complete on pages.topic = complete.topic and pages.snapshot_id = complete.snapshot_id
qualify
    row_number() over (
        partition by pages.entity_id
        order by pages.outcome = 'found' desc, pages.fetched_at desc, pages.topic asc, pages.request_hash asc
    ) = 1
order by pages.entity_id
