{#- Landed statements in their types; whoever lands statements lands these columns. -#}
{% macro landed_statements(relation) -%}
select
    cast(statement_id as varchar) as statement_id,
    cast(subject_id as varchar) as subject_id,
    cast(property_id as varchar) as property_id,
    cast(value_kind as varchar) as value_kind,
    cast(value_entity as varchar) as value_entity,
    cast(amount_text as varchar) as amount_text,
    cast(lower_text as varchar) as lower_text,
    cast(upper_text as varchar) as upper_text,
    cast(unit_id as varchar) as unit_id,
    cast(value_time as varchar) as value_time,
    cast(time_precision as integer) as time_precision,
    cast(calendar as varchar) as calendar,
    cast(value_text as varchar) as value_text,
    cast(value_lang as varchar) as value_lang,
    cast(latitude as double) as latitude,
    cast(longitude as double) as longitude,
    cast(rank as varchar) as rank,
    cast(qualifiers as json) as qualifiers,
    cast(reference_count as integer) as reference_count,
    cast(source as varchar) as source,
    cast(source_url as varchar) as source_url,
    cast(request_hash as varchar) as request_hash,
    cast(fetched_at as timestamp) as fetched_at,
    cast(snapshot_id as varchar) as snapshot_id
from {{ relation }}
{%- endmacro %}
