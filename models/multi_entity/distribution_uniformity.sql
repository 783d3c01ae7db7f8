with counted as (
    select
        categories.scope_id,
        categories.topic,
        categories.attribute,
        max(categories.n) as n,
        count(*) as n_values,
        {{ in_one_order(
            'sum', 'power(categories.n_members - categories.n / categories.n_values, 2) / (categories.n / categories.n_values)'
        ) }} as statistic
    from {{ ref('scope_categories') }} as categories
    inner join {{ ref('attributes') }} as attribute
        on categories.topic = attribute.topic and categories.attribute = attribute.attribute
    where not attribute.is_multivalued and attribute.kind = 'category' and attribute.phrase_plural is not null
    group by all
    having count(*) between 2 and 30 and max(categories.n) >= 8
),

candidates as (
    select
        counted.*,
        {{ critical_value('chi2', 'counted.n_values - 1') }} as critical
    from counted
    qualify row_number() over (
        partition by topic order by {{ draw("scope_id || '/' || attribute", 'sqrt(n)') }}
    ) <= {{ cap('distribution_compliance', 1) }}
)

select
    'distribution_uniformity' as template_id,
    candidates.topic,
    candidates.scope_id,
    [candidates.attribute] as attributes,
    json_object('attribute', candidates.attribute) as slots,
    candidates.statistic < candidates.critical as gold_boolean,
    'chisquare' as gold_method,
    [candidates.attribute] as gold_columns,
    {{ test_margin('candidates.statistic', 'candidates.critical') }} as margin,
    candidates.n as entity_count,
    case
        when candidates.n < 20 then 'low_power'
        when candidates.n / candidates.n_values < 5 then 'method_dependent'
    end as fault,
    'n = ' || candidates.n || ' over ' || candidates.n_values || ' values' as fault_detail,
    {{ words({
        'things': 'scope.things',
        'phrase': 'attribute.phrase',
        'phrases': 'attribute.phrase_plural',
        'dated': dated('attribute.as_of'),
    }) }} as words,
    {{ sql_lines([
        "'with sizes as (select ' || attribute.col || ' as val, count(*) as n from topics.' || candidates.topic || ' where ' || "
        ~ sql_all(['scope.scope_sql', 'attribute.known_sql']) ~ " || ' group by val),'",
        "'test as (select sum(n ** 2) * count(*) / sum(n) - sum(n) as chi2, count(*) - 1 as df from sizes)'",
        "'-- chi-squared of the sizes against equal sizes, below its 5% point'",
        critical_value_text('chi2 < critical', 'chi2', 'test.df'),
    ]) }} as gold_sql,
    attribute.tuples_sql || {{ sql_all(['scope.scope_sql', 'attribute.known_sql']) }} as evidence_sql
from candidates
inner join {{ ref('scopes') }} as scope on candidates.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as attribute
    on candidates.topic = attribute.topic and candidates.attribute = attribute.attribute
