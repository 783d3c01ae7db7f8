{# Whether two attributes go together: F of a number over the groups of a category, chi-squared of two categories. #}
with cells as (
    select
        candidates.candidate_key,
        a.val as first_value,
        b.val as second_value,
        count(*) as n
    from {{ ref('group_candidates') }} as candidates
    inner join {{ ref('scope_members') }} as members on candidates.scope_id = members.scope_id
    inner join {{ ref('entity_values') }} as a
        on members.topic = a.topic and members.entity_id = a.entity_id and candidates.first_attribute = a.attribute
    inner join {{ ref('entity_values') }} as b
        on members.topic = b.topic and members.entity_id = b.entity_id and candidates.second_attribute = b.attribute
    where candidates.template_id = 'association_categories'
    group by all
),

margins as (
    select
        *,
        sum(n) over (partition by candidate_key) as total,
        sum(n) over (partition by candidate_key, first_value) as in_row,
        sum(n) over (partition by candidate_key, second_value) as in_column
    from cells
),

tested as (
    select
        candidate_key,
        cast(max(total) as bigint) as n_entities,
        (count(distinct first_value) - 1) * (count(distinct second_value) - 1) as df1,
        0 as df2,
        max(total) * {{ in_one_order('sum', 'power(n, 2) / (in_row * in_column)') }} - max(total) as statistic,
        min(in_row) * min(in_column) / max(total) >= 5 as is_fit,
        null as other_statistic
    from margins
    group by candidate_key
    having count(distinct first_value) > 1 and count(distinct second_value) > 1

    union all

    select
        candidate_key,
        n_entities,
        n_groups - 1 as df1,
        n_values - n_groups as df2,
        f_oneway as statistic,
        smallest_group >= 5 as is_fit,
        kruskal as other_statistic
    from {{ ref('group_tests') }}
),

judged as (
    select
        candidates.*,
        tested.* exclude (candidate_key),
        case candidates.template_id
            when 'association_groups' then {{ critical_value('f', 'tested.df1', 'tested.df2') }}
            else {{ critical_value('chi2', 'tested.df1') }}
        end as critical,
        {{ critical_value('chi2', 'tested.df1') }} as other_critical
    from {{ ref('group_candidates') }} as candidates
    inner join tested on candidates.candidate_key = tested.candidate_key
    where candidates.template_id like 'association_%'
)

select
    judged.template_id,
    judged.topic,
    judged.scope_id,
    [judged.first_attribute, judged.second_attribute] as attributes,
    json_object('attribute', judged.first_attribute, 'other_attribute', judged.second_attribute) as slots,
    judged.statistic > judged.critical as gold_boolean,
    case judged.template_id when 'association_groups' then 'f_oneway' else 'chi2_contingency' end as gold_method,
    [judged.first_attribute, judged.second_attribute] as gold_columns,
    {{ test_margin('judged.statistic', 'judged.critical') }} as margin,
    judged.n_entities as entity_count,
    case
        when judged.statistic is null then 'degenerate'
        when judged.n_entities < 20 or (judged.template_id = 'association_groups' and not judged.is_fit) then 'low_power'
        when not judged.is_fit or judged.critical is null then 'method_dependent'
        when (judged.statistic > judged.critical) <> (judged.other_statistic > judged.other_critical) then 'method_dependent'
    end as fault,
    'n = ' || judged.n_entities || ', statistic ' || round(judged.statistic, 3)
    || coalesce(', kruskal ' || round(judged.other_statistic, 3), '') as fault_detail,
    {{ pair_words() }} as words,
    case judged.template_id
        when 'association_groups' then {{ f_test_text(
            "'with x as (select ' || a.col || ' as v, ' || b.col || ' as g from topics.' || judged.topic || ' where ' || "
            ~ sql_all(['scope.scope_sql', 'a.known_sql', 'b.known_sql']) ~ " || '),'",
            "'y as (select v, g from x),'"
        ) }}
        else {{ contingency_text(sql_all(['scope.scope_sql', 'a.known_sql', 'b.known_sql']), 'judged.topic') }}
    end as gold_sql,
    {{ pair_tuples_sql() }} as evidence_sql
from judged
{{ pair_joins('judged') }}
