{#- Rows of a staged dataset that belong to the snapshot the facts are built from: of the complete ones
    (entities, instances and statements all have their closing row), the one landed last. -#}
{% macro of_current_snapshot(staged) -%}
    (
        select *
        from {{ ref(staged) }}
        where snapshot_id = ({{ current_snapshot_id() }})
    )
{%- endmacro %}

{% macro current_snapshot_id() -%}
    select snapshot_id
    from {{ ref('stg_wikidata__snapshots') }}
    where dataset in ('entities', 'instances', 'statements')
    group by snapshot_id
    having count(distinct dataset) = 3
    order by max(landed_at) desc, snapshot_id desc
    limit 1
{%- endmacro %}
