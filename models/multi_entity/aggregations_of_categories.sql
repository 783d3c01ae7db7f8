{# How many members have one value, and what share of the scope that is: everybody with a known value is consulted. #}
with candidates as (
    select
        categories.*,
        operation.operation
    from {{ ref('scope_categories') }} as categories
    inner join {{ ref('attributes') }} as attribute
        on categories.topic = attribute.topic and categories.attribute = attribute.attribute
    cross join (values ('count'), ('share')) as operation (operation)
    where attribute.member is not null and categories.val <> 'false'
    qualify row_number() over (
        partition by categories.topic, operation.operation
        order by {{ draw(
            "categories.scope_id || '/' || categories.attribute || '=' || categories.val || operation.operation",
            'sqrt(categories.n)'
        ) }}
    ) <= {{ cap('aggregation', 4) }}
)

select
    'aggregation_' || candidates.operation as template_id,
    candidates.topic,
    candidates.scope_id,
    [candidates.attribute] as attributes,
    candidates.operation,
    json_object('attribute', candidates.attribute, 'value', candidates.val) as slots,
    'number' as gold_kind,
    {{ digits12('candidates.n_members / case candidates.operation when \'count\' then 1 else candidates.n end') }}
    as gold_value,
    case candidates.operation when 'share' then 'fraction' end as gold_unit,
    case candidates.operation when 'share' then 0.01 else 0 end as tolerance,
    candidates.n as entity_count,
    case when candidates.n_members = candidates.n then 'degenerate' end as fault,
    'all members have this value' as fault_detail,
    {{ words({
        'things': 'scope.things',
        'member': member_text('attribute', 'candidates.val'),
        'as_of': 'attribute.as_of',
    }) }} as words,
    {{ sql_lines([
        "'select ' || case candidates.operation when 'count' then hits.text else hits.text || ' / count(*)' end || ' as answer'",
        "'from topics.' || candidates.topic",
        "'where ' || " ~ sql_all(['scope.scope_sql', 'attribute.known_sql']),
    ]) }} as gold_sql,
    attribute.tuples_sql || {{ sql_all(['scope.scope_sql', 'attribute.known_sql']) }} as evidence_sql
from candidates
inner join {{ ref('scopes') }} as scope on candidates.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as attribute
    on candidates.topic = attribute.topic and candidates.attribute = attribute.attribute
cross join lateral (
    select 'count(*) filter (where ' || {{ has_value_sql('attribute', 'candidates.val') }} || ')' as text
) as hits
