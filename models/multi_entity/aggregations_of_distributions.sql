{# The whole distribution of a category, and how many different values it has. #}
with counted as (
    select
        scope_id,
        topic,
        attribute,
        max(n) as n,
        count(*) as n_values,
        {{ json_object_sorted('val', 'n_members') }} as distribution
    from {{ ref('scope_categories') }}
    group by all
),

candidates as (
    select
        counted.*,
        operation.operation
    from counted
    inner join {{ ref('attributes') }} as attribute
        on counted.topic = attribute.topic and counted.attribute = attribute.attribute
    cross join (values ('distinct'), ('distribution')) as operation (operation)
    where attribute.kind = 'category' and attribute.phrase_plural is not null
        and (operation.operation = 'distinct' or counted.n_values <= 15)
    qualify row_number() over (
        partition by counted.topic, operation.operation
        order by {{ draw("counted.scope_id || '/' || counted.attribute || operation.operation", 'sqrt(counted.n)') }}
    ) <= {{ cap('aggregation', 6) }}
)

select
    'aggregation_' || candidates.operation as template_id,
    candidates.topic,
    candidates.scope_id,
    [candidates.attribute] as attributes,
    candidates.operation,
    json_object('attribute', candidates.attribute) as slots,
    case candidates.operation when 'distinct' then 'number' else 'distribution' end as gold_kind,
    case candidates.operation when 'distinct' then cast(candidates.n_values as double) end as gold_value,
    case candidates.operation when 'distribution' then candidates.distribution end as gold_text,
    0 as tolerance,
    candidates.n as entity_count,
    case when candidates.n_values = 1 then 'degenerate' end as fault,
    'there is only one value' as fault_detail,
    {{ words({
        'things': 'scope.things',
        'phrase': 'attribute.phrase',
        'phrases': 'attribute.phrase_plural',
        'as_of': 'attribute.as_of',
    }) }} as words,
    case candidates.operation
        when 'distinct' then {{ sql_lines([
            "'select count(distinct val) as answer'",
            "'from (' || members.text || ')'",
        ]) }}
        else {{ sql_lines([
            "'select to_json(map(list(val order by val), list(n order by val))) as answer'",
            "'from (select val, count(distinct entity_id) as n from (' || members.text || ') group by val)'",
        ]) }}
    end as gold_sql,
    attribute.tuples_sql || {{ sql_all(['scope.scope_sql', 'attribute.known_sql']) }} as evidence_sql
from candidates
inner join {{ ref('scopes') }} as scope on candidates.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as attribute
    on candidates.topic = attribute.topic and candidates.attribute = attribute.attribute
cross join lateral (
    select {{ category_rows_sql('attribute', "candidates.topic", sql_all(['scope.scope_sql', 'attribute.known_sql'])) }} as text
) as members
