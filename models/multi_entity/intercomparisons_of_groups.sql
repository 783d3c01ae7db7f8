with candidates as (
    select
        *,
        case when {{ coin("'direction/' || pair_key") }} then 'most_members' else 'fewest_members' end as operation,
        {{ coin("'order/' || pair_key") }} as is_in_order
    from {{ ref('category_pairs') }}
    qualify row_number() over (partition by topic order by {{ draw('pair_key') }}) <= {{ cap('intercomparison', 2) }}
),

oriented as (
    select
        candidates.* exclude (first_val, second_val, first_n, second_n),
        case when is_in_order then first_val else second_val end as first_val,
        case when is_in_order then second_val else first_val end as second_val,
        case when is_in_order then first_n else second_n end as first_n,
        case when is_in_order then second_n else first_n end as second_n
    from candidates
)

select
    'intercomparison_groups' as template_id,
    oriented.topic,
    oriented.scope_id,
    [oriented.attribute] as attributes,
    oriented.operation,
    json_object('attribute', oriented.attribute, 'names', [oriented.first_val, oriented.second_val]) as slots,
    oriented.operation || oriented.pair_key as id_slots,
    'category' as gold_kind,
    case when (oriented.first_n > oriented.second_n) = (oriented.operation = 'most_members')
        then oriented.first_val else oriented.second_val end as gold_text,
    abs(oriented.first_n - oriented.second_n) as margin,
    oriented.n as entity_count,
    case when oriented.first_n = oriented.second_n then 'tie' end as fault,
    'both have ' || oriented.first_n || ' members' as fault_detail,
    {{ words({
        'things': 'scope.things',
        'a': in_a_sentence('oriented.first_val'),
        'b': in_a_sentence('oriented.second_val'),
        'member_a': member_text('attribute', 'oriented.first_val'),
        'member_b': member_text('attribute', 'oriented.second_val'),
        'phrase': 'attribute.phrase',
        'more': "case oriented.operation when 'most_members' then 'more' else 'fewer' end",
        'as_of': 'attribute.as_of',
    }) }} as words,
    {{ sql_lines([
        "'select val as answer'",
        "'from (' || members.text || ')'",
        "'where val in (' || chosen.text || ')'",
        "'group by val'",
        "'order by count(distinct entity_id)' || case oriented.operation when 'most_members' then ' desc' else '' end || ' limit 1'",
    ]) }} as gold_sql,
    'select * from (' || attribute.tuples_sql || {{ sql_all(['scope.scope_sql', 'attribute.known_sql']) }}
    || ') where value in (' || chosen.text || ')' as evidence_sql
from oriented
inner join {{ ref('scopes') }} as scope on oriented.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as attribute
    on oriented.topic = attribute.topic and oriented.attribute = attribute.attribute
cross join lateral (
    select
        {{ category_rows_sql('attribute', "oriented.topic", sql_all(['scope.scope_sql', 'attribute.known_sql'])) }} as text
) as members
cross join lateral (
    select {{ sql_literal('oriented.first_val') }} || ', ' || {{ sql_literal('oriented.second_val') }} as text
) as chosen
