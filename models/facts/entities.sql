with landed as (
    select
        *,
        row_number() over (partition by entity_id order by fetched_at desc, request_hash asc) as recency
    from {{ of_current_snapshot('stg_wikidata__entities') }}
    where redirect_to is null
),

classes as (
    select
        coalesce(redirects.target_id, instances.entity_id) as entity_id,
        {{ list_agg_sorted('instances.class_id') }} as classes
    from {{ of_current_snapshot('stg_wikidata__instances') }} as instances
    left join {{ ref('redirects') }} as redirects on instances.entity_id = redirects.entity_id
    group by coalesce(redirects.target_id, instances.entity_id)
)

select
    landed.entity_id,
    landed.label,
    landed.description,
    landed.aliases,
    classes.classes,
    landed.wikipedia_title,
    landed.sitelinks,
    landed.source,
    landed.snapshot_id
from landed
left join classes on landed.entity_id = classes.entity_id
where landed.recency = 1
order by landed.entity_id
