{# Sums, means, medians and ranges. Years have no sum, mean or median; the range of years is exact. #}
with candidates as (
    select
        numbers.*,
        operation.operation
    from {{ ref('scope_numbers') }} as numbers
    inner join {{ ref('attributes') }} as attribute
        on numbers.topic = attribute.topic and numbers.attribute = attribute.attribute and attribute.kind = 'number'
    cross join (values ('sum'), ('mean'), ('median'), ('range')) as operation (operation)
    where attribute.unit is not null
        and (operation.operation = 'range' or not attribute.is_year)
        and (operation.operation <> 'sum' or (attribute.is_additive and attribute.hops = 1))
    qualify row_number() over (
        partition by numbers.topic, operation.operation
        order by {{ draw("numbers.scope_id || '/' || numbers.attribute || operation.operation", 'sqrt(numbers.n)') }}
    ) <= {{ cap('aggregation', 8) }}
),

answered as (
    select
        candidates.*,
        case operation
            when 'sum' then total
            when 'mean' then total / n
            when 'median' then median
            else highest - lowest
        end as answer
    from candidates
)

select
    'aggregation_' || answered.operation as template_id,
    answered.topic,
    answered.scope_id,
    [answered.attribute] as attributes,
    answered.operation,
    json_object('attribute', answered.attribute) as slots,
    'number' as gold_kind,
    {{ digits12('answered.answer') }} as gold_value,
    case when attribute.is_year then 'years' else attribute.unit end as gold_unit,
    case when attribute.is_year then 0 else coalesce(attribute.tolerance, 0.01) end as tolerance,
    answered.n as entity_count,
    case when answered.n_distinct = 1 then 'degenerate' end as fault,
    'every value is the same' as fault_detail,
    {{ words({
        'things': 'scope.things',
        'phrase': 'attribute.phrase',
        'most': 'attribute.most',
        'least': 'attribute.least',
        'in_unit': "case when attribute.is_year then 'in years' else attribute.in_unit end",
        'as_of': 'attribute.as_of',
    }) }} as words,
    {{ sql_lines([
        "'select ' || case answered.operation "
        ~ "when 'sum' then 'sum(' || attribute.col || ')' "
        ~ "when 'mean' then 'avg(' || attribute.col || ')' "
        ~ "when 'median' then 'median(' || attribute.col || ')' "
        ~ "else 'max(' || attribute.col || ') - min(' || attribute.col || ')' end || ' as answer'",
        "'from topics.' || answered.topic",
        "'where ' || " ~ sql_all(['scope.scope_sql', 'attribute.known_sql']),
    ]) }} as gold_sql,
    attribute.tuples_sql || {{ sql_all(['scope.scope_sql', 'attribute.known_sql']) }} as evidence_sql
from answered
inner join {{ ref('scopes') }} as scope on answered.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as attribute
    on answered.topic = attribute.topic and answered.attribute = attribute.attribute
