-- Two topics may land the same statement; the copies differ in their request only. (A join, since ranking rows as wide
-- as these would cost more than everything below.)
with one_copy as (
    select
        statement_id,
        min(request_hash) as request_hash
    from {{ of_current_snapshot('stg_wikidata__statements') }}
    group by statement_id
),

-- What the domains' services say, and what was read in articles, stands there once.
all_landed as (
    select landed.*
    from {{ of_current_snapshot('stg_wikidata__statements') }} as landed
    inner join one_copy
        on landed.statement_id = one_copy.statement_id and landed.request_hash = one_copy.request_hash
    union all
    select *
    from {{ ref('stg_domains__statements') }}
    union all
    select *
    from {{ ref('text_statements') }}
),

-- Redirected ids are replaced by the ids that stand today.
resolved as (
    select
        landed.*,
        coalesce(old_subject.target_id, landed.subject_id) as standing_subject_id,
        coalesce(old_value.target_id, landed.value_entity) as standing_value_entity,
        {{ text_to_double('landed.amount_text') }} as value_num,
        {{ text_to_double('landed.lower_text') }} as lower_bound,
        {{ text_to_double('landed.upper_text') }} as upper_bound
    from {{ changed_facts('all_landed') }} as landed
    left join {{ ref('redirects') }} as old_subject on landed.subject_id = old_subject.entity_id
    left join {{ ref('redirects') }} as old_value on landed.value_entity = old_value.entity_id
),

-- A quantity without a unit is a pure number, which Wikidata calls Q199.
with_units as (
    select
        resolved.*,
        nullif(target.unit_id, 'Q199') as target_unit,
        {{ convert_unit('resolved.value_num', 'stated', 'target') }} as value_canonical,
        {{ source_rounding('resolved.lower_bound', 'resolved.upper_bound', 'resolved.amount_text') }}
        * stated.factor / target.factor as rounding_canonical
    from resolved
    left join {{ ref('units') }} as stated
        on resolved.value_kind = 'quantity' and coalesce(resolved.unit_id, 'Q199') = stated.unit_id
    left join {{ ref('properties') }} as properties on resolved.property_id = properties.property_id
    left join {{ ref('units') }} as target
        on coalesce(properties.canonical_unit, stated.base_unit) = target.unit_id
)

select
    statement_id,
    standing_subject_id as subject_id,
    property_id,
    value_kind,
    standing_value_entity as value_entity,
    value_num,
    amount_text,
    lower_bound,
    upper_bound,
    unit_id,
    value_canonical,
    case when value_canonical is not null then target_unit end as unit_canonical,
    value_time,
    time_precision,
    calendar,
    value_text,
    value_lang,
    latitude,
    longitude,
    rank,
    qualifiers,
    reference_count,
    source,
    source_url,
    fetched_at,
    snapshot_id,
    case when value_canonical is not null then rounding_canonical end as rounding_canonical,
    {{ readable_year('value_time', 'time_precision') }} as value_year,
    {{ readable_date('value_time', 'time_precision', 'calendar') }} as value_date,
    {{ list_largest(json_texts('qualifiers', '$.P585[*].value')) }} as point_in_time,
    {{ list_largest(json_texts('qualifiers', '$.P582[*].value')) }} as end_time
from with_units
