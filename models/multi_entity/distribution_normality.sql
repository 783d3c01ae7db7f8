{# The 5% point of chi-squared with 2 degrees of freedom has a closed form. #}
{% set critical = '(-2 * ln(0.05))' %}
with candidates as (
    select numbers.*
    from {{ ref('scope_numbers') }} as numbers
    inner join {{ ref('attributes') }} as attribute
        on numbers.topic = attribute.topic and numbers.attribute = attribute.attribute and attribute.kind = 'number'
    -- a value shared by many entities (their country's) has no distribution of its own
    where attribute.hops = 1 and numbers.n >= 8
    qualify row_number() over (
        partition by numbers.topic order by {{ draw("numbers.scope_id || '/' || numbers.attribute", 'sqrt(numbers.n)') }}
    ) <= {{ cap('distribution_compliance', 1) }}
),

tested as (
    select
        candidates.*,
        {{ jarque_bera('n', 'm2', 'm3', 'm4') }} as statistic,
        {{ normaltest('n', 'm2', 'm3', 'm4') }} as other_statistic
    from candidates
    -- the spread of equal values is zero only up to the last digit of their mean
    where n_distinct > 1
)

select
    'distribution_normality' as template_id,
    tested.topic,
    tested.scope_id,
    [tested.attribute] as attributes,
    json_object('attribute', tested.attribute) as slots,
    tested.statistic < {{ critical }} as gold_boolean,
    'jarque_bera' as gold_method,
    [tested.attribute] as gold_columns,
    {{ test_margin('tested.statistic', critical) }} as margin,
    tested.n as entity_count,
    case
        when tested.n_distinct < 5 then 'degenerate'
        when tested.n < 30 then 'low_power'
        when (tested.statistic < {{ critical }}) <> (tested.other_statistic < {{ critical }}) then 'method_dependent'
    end as fault,
    'n = ' || tested.n || ', jarque_bera ' || round(tested.statistic, 3) || ', normaltest ' || round(tested.other_statistic, 3)
    as fault_detail,
    {{ words({
        'things': 'scope.things',
        'phrase': 'attribute.phrase',
        'dated': dated('attribute.as_of'),
    }) }} as words,
    {{ sql_lines([
        "'with x as (select ' || attribute.col || ' as v from topics.' || tested.topic || ' where ' || "
        ~ sql_all(['scope.scope_sql', 'attribute.known_sql']) ~ " || '),'",
        "'centred as (select v - (select avg(v) from x) as d from x),'",
        "'moments as (select count(*) as n, avg(d ** 2) as m2, avg(d ** 3) as m3, avg(d ** 4) as m4 from centred)'",
        "'-- Jarque-Bera against the 5% point of chi-squared with 2 degrees of freedom'",
        "'select n / 6.0 * ((m3 / m2 ** 1.5) ** 2 + (m4 / m2 ** 2 - 3) ** 2 / 4) < -2 * ln(0.05) as answer from moments'",
    ]) }} as gold_sql,
    attribute.tuples_sql || {{ sql_all(['scope.scope_sql', 'attribute.known_sql']) }} as evidence_sql
from tested
inner join {{ ref('scopes') }} as scope on tested.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as attribute
    on tested.topic = attribute.topic and tested.attribute = attribute.attribute
