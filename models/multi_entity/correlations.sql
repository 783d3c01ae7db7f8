with candidates as (
    select
        *,
        case when {{ coin('pair_key') }} then 'pearsonr' else 'spearmanr' end as method
    from {{ ref('attribute_pairs') }}
    where pair_kind = 'numbers'
    qualify row_number() over (
        partition by topic order by {{ draw('pair_key', 'sqrt(n_at_most)') }}
    ) <= {{ cap('correlation_analysis', 1) }}
),

consulted as (
    select
        candidates.pair_key,
        a.num as x,
        b.num as y
    from candidates
    inner join {{ ref('scope_members') }} as members on candidates.scope_id = members.scope_id
    inner join {{ ref('entity_values') }} as a
        on members.topic = a.topic and members.entity_id = a.entity_id and candidates.first_attribute = a.attribute
    inner join {{ ref('entity_values') }} as b
        on members.topic = b.topic and members.entity_id = b.entity_id and candidates.second_attribute = b.attribute
),

ranked as (
    select
        *,
        {{ average_rank('x', 'pair_key') }} as rank_x,
        {{ average_rank('y', 'pair_key') }} as rank_y
    from consulted
),

coefficients as (
    select
        pair_key,
        count(*) as n,
        least(count(distinct x), count(distinct y)) as n_distinct,
        case when count(distinct x) > 1 and count(distinct y) > 1 then {{ in_one_order('corr', ['x', 'y']) }} end as pearson,
        case when count(distinct x) > 1 and count(distinct y) > 1 then {{ in_one_order('corr', ['rank_x', 'rank_y']) }} end as spearman
    from ranked group by pair_key
),

tested as (
    select
        candidates.*,
        coefficients.n,
        coefficients.n_distinct,
        {{ correlation_t('pearson', 'n') }} as pearson_t,
        {{ correlation_t('spearman', 'n') }} as spearman_t,
        {{ critical_value('t', '1', 'coefficients.n - 2') }} as critical
    from candidates
    inner join coefficients on candidates.pair_key = coefficients.pair_key
    where coefficients.n >= 8
),

judged as (
    select *, case when method = 'pearsonr' then pearson_t else spearman_t end as statistic from tested
)

select
    case when judged.method = 'pearsonr' then 'correlation_linear' else 'correlation_monotonic' end as template_id,
    judged.topic,
    judged.scope_id,
    [judged.first_attribute, judged.second_attribute] as attributes,
    json_object('attribute', judged.first_attribute, 'other_attribute', judged.second_attribute) as slots,
    judged.statistic > judged.critical as gold_boolean,
    judged.method as gold_method,
    [judged.first_attribute, judged.second_attribute] as gold_columns,
    {{ test_margin('judged.statistic', 'judged.critical') }} as margin,
    judged.n as entity_count,
    case
        when judged.n_distinct < 3 or judged.statistic is null then 'degenerate'
        when judged.n < 20 then 'low_power'
        when (judged.pearson_t > judged.critical) <> (judged.spearman_t > judged.critical) then 'method_dependent'
    end as fault,
    'n = ' || judged.n || ', t by pearsonr ' || round(judged.pearson_t, 3) || ', by spearmanr ' || round(judged.spearman_t, 3)
    as fault_detail,
    {{ pair_words() }} as words,
    case judged.method when 'pearsonr' then
        {{ sql_lines([
            "'with x as (select ' || a.col || ' as x, ' || b.col || ' as y from topics.' || judged.topic || ' where ' || "
            ~ sql_all(['scope.scope_sql', 'a.known_sql', 'b.known_sql']) ~ " || '),'",
            "'test as (select corr(x, y) as r, count(*) as n from x)'",
            "'-- t of the linear correlation against its two-sided 5% point'",
            correlation_answer_text(),
        ]) }}
        else {{ sql_lines([
            "'with x as (select ' || a.col || ' as x, ' || b.col || ' as y from topics.' || judged.topic || ' where ' || "
            ~ sql_all(['scope.scope_sql', 'a.known_sql', 'b.known_sql']) ~ " || '),'",
            "'-- ties share a rank: places from below less places from above'",
            "'ranks as (select rank() over (order by x) - rank() over (order by x desc) as x, '"
            ~ " || 'rank() over (order by y) - rank() over (order by y desc) as y from x),'",
            "'test as (select corr(x, y) as r, count(*) as n from ranks)'",
            "'-- t of the rank correlation against its two-sided 5% point'",
            correlation_answer_text(),
        ]) }}
    end as gold_sql,
    {{ pair_tuples_sql() }} as evidence_sql
from judged
{{ pair_joins('judged') }}
