-- A redirect can point at another one; following them all gives each old id the id that stands today.
with recursive redirects as (
    select distinct
        entity_id,
        redirect_to
    from {{ of_current_snapshot('stg_wikidata__entities') }}
    where redirect_to is not null
),

-- UNION, not UNION ALL: two redirects that point at each other must end.
followed as (
    select
        entity_id,
        redirect_to as target_id
    from redirects
    union
    select
        followed.entity_id,
        redirects.redirect_to as target_id
    from followed
    inner join redirects on followed.target_id = redirects.entity_id
)

select
    entity_id,
    min(target_id) as target_id
from followed
where target_id not in (select redirects.entity_id from redirects)
group by entity_id
