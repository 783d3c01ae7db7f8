-- What the question texts and the stored SQL need to know of an attribute, in one place.
with spread as (
    select
        topic,
        attribute,
        quantile_cont(value_num, 0.75) - quantile_cont(value_num, 0.25) as iqr,
        case when count(distinct as_of) = 1 and count(as_of) = count(*) then min(as_of) end as common_date
    from {{ ref('entity_attributes') }}
    group by all
),

snapshot as (
    select strftime(max(as_of), '%-d %B %Y') as as_of
    from {{ ref('snapshots') }}
    where is_current
),

described as (
    select
        meta.*,
        topics.singular,
        topics.plural,
        spread.iqr,
        {{ quoted_name('meta.attribute') }} as col,
        case when meta.is_volatile then ' as of ' || coalesce(spread.common_date, snapshot.as_of) else '' end as as_of,
        ' as of ' || snapshot.as_of as as_of_snapshot,
        case
            when meta.unit is null then ''
            when meta.unit like '% scale' then 'on the ' || meta.unit
            else 'in ' || meta.unit
        end as in_unit
    from {{ ref('attribute_meta') }} as meta
    inner join {{ ref('topic_meta') }} as topics on meta.topic = topics.topic
    inner join spread on meta.topic = spread.topic and meta.attribute = spread.attribute
    cross join snapshot
    where meta.kind in ('number', 'category', 'boolean', 'date')
)

select
    *,
    col || ' is not null' as known_sql,
    'select entity_id, label as entity, ' || {{ sql_literal('attribute') }} || ' as attribute, '
    || case
        when is_multivalued then 'unnest(' || col || ')'
        when kind = 'category' then col
        else 'cast(' || col || ' as varchar)'
    end
    || ' as value, ' || coalesce('cast(' || {{ quoted_name('via') }} || ' as varchar)', 'null')
    || ' as via' || chr(10) || 'from topics.' || topic || chr(10) || 'where ' as tuples_sql
from described
