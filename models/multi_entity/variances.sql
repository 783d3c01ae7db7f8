with tested as (
    select
        candidates.*,
        tests.*  exclude (candidate_key),
        {{ critical_value('f', 'tests.n_groups - 1', 'tests.n_values - tests.n_groups') }} as critical
    from {{ ref('group_candidates') }} as candidates
    inner join {{ ref('group_tests') }} as tests on candidates.candidate_key = tests.candidate_key
    where candidates.template_id in ('variance_groups', 'variance_attributes')
)

select
    tested.template_id,
    tested.topic,
    tested.scope_id,
    [tested.first_attribute, tested.second_attribute] as attributes,
    case tested.template_id
        when 'variance_groups' then json_object(
            'attribute', tested.first_attribute,
            'group_attribute', tested.second_attribute,
            'groups', [tested.first_group, tested.second_group]
        )
        else json_object('attribute', tested.first_attribute, 'other_attribute', tested.second_attribute)
    end as slots,
    tested.levene_median > tested.critical as gold_boolean,
    'levene' as gold_method,
    [tested.first_attribute, tested.second_attribute] as gold_columns,
    {{ test_margin('tested.levene_median', 'tested.critical') }} as margin,
    tested.n_entities as entity_count,
    case
        when tested.levene_median is null then 'degenerate'
        when tested.n_entities < 20 or tested.smallest_group < 5 then 'low_power'
        when (tested.levene_median > tested.critical) <> (tested.levene_mean > tested.critical) then 'method_dependent'
    end as fault,
    'n = ' || tested.n_entities || ', levene by median ' || round(tested.levene_median, 3) || ', by mean '
    || round(tested.levene_mean, 3) as fault_detail,
    map_concat({{ pair_words() }}, {{ words({
        'plural': 'a.plural',
        'group_a': "replace(b.scope, '{value}', " ~ in_a_sentence('tested.first_group') ~ ")",
        'group_b': "replace(b.scope, '{value}', " ~ in_a_sentence('tested.second_group') ~ ")",
    }) }}) as words,
    {{ f_test_text(
        "'with x as (' || case tested.template_id when 'variance_groups' then 'select ' || a.col || ' as v, ' || b.col "
        ~ "|| ' as g from topics.' || tested.topic || ' where ' || members.text else 'select unnest([' || a.col || ', ' "
        ~ "|| b.col || ']) as v, unnest([1, 2]) as g from topics.' || tested.topic || ' where ' || members.text end || '),'",
        "'y as (select abs(v - median(v) over (partition by g)) as v, g from x),'"
    ) }} as gold_sql,
    {{ sql_lines(["a.tuples_sql || members.text", "'union all'", "b.tuples_sql || members.text"]) }} as evidence_sql
from tested
{{ pair_joins('tested') }}
cross join lateral (
    select {{ sql_all([
        'scope.scope_sql',
        "b.col || ' in (' || " ~ sql_literal('tested.first_group') ~ " || ', ' || " ~ sql_literal('tested.second_group') ~ " || ')'",
        'a.known_sql',
        'b.known_sql',
    ]) }} as text
) as members
