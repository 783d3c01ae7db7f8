{# Would a few more members lift one group over another, or over a round number? #}
with groups as (
    select
        pairs.*,
        case when first_n < second_n then first_val else second_val end as small_val,
        case when first_n < second_n then second_val else first_val end as large_val,
        least(first_n, second_n) as small_n,
        greatest(first_n, second_n) as large_n,
        {{ coin("'aim/' || pair_key") }} as aims_high,
        cast(floor(3 * {{ hash_fraction("'size/' || pair_key") }}) as bigint) as size
    from {{ ref('category_pairs') }} as pairs
    where first_n <> second_n
),

changes as (
    select
        'hypothetical_overtake' as template_id,
        groups.*,
        large_n as target,
        case when aims_high then large_n - small_n + 1 + size else large_n - small_n - 1 - size end as amount
    from groups
    where large_n - small_n <= 30

    union all

    -- the next multiple of 5 above the group's size
    select
        'hypothetical_membership' as template_id,
        groups.*,
        5 * (small_n // 5 + 1 + size) as target,
        5 * (small_n // 5 + 1 + size) - small_n + case when aims_high then 1 + size else -1 - size end as amount
    from groups
),

candidates as (
    select *
    from changes
    -- an amount that reaches the stated number by itself gives the answer away
    where amount > 1 and (template_id = 'hypothetical_overtake' or amount < target)
    qualify row_number() over (
        partition by topic, template_id order by {{ draw("template_id || '/' || pair_key") }}
    ) <= {{ cap('hypothetical_scenarios', 5) }}
),

consulted as (
    select
        candidates.*,
        case template_id when 'hypothetical_overtake' then candidates.n else small_n end as n_consulted,
        scope.scope_sql,
        scope.things
    from candidates
    inner join {{ ref('scopes') }} as scope on candidates.scope_id = scope.scope_id
)

select
    consulted.template_id,
    consulted.topic,
    consulted.scope_id,
    [consulted.attribute] as attributes,
    'would_overtake' as operation,
    {{ overtake_slots('consulted') }} as slots,
    consulted.pair_key as id_slots,
    consulted.small_n + consulted.amount > consulted.target as gold_boolean,
    abs(consulted.small_n + consulted.amount - consulted.target) as margin,
    consulted.n_consulted as entity_count,
    case when consulted.small_n + consulted.amount = consulted.target then 'tie' end as fault,
    'after the change both are equal' as fault_detail,
    {{ words({
        'things': 'consulted.things',
        'member_a': member_text('attribute', 'consulted.small_val'),
        'member_b': member_text('attribute', 'consulted.large_val'),
        'amount': 'consulted.amount',
        'threshold': 'consulted.target',
        'dated': dated('attribute.as_of'),
    }) }} as words,
    {{ overtake_gold_sql('consulted', 'attribute') }} as gold_sql,
    'select * from (' || attribute.tuples_sql || {{ sql_all(['consulted.scope_sql', 'attribute.known_sql']) }}
    || ') where value in (' || {{ sql_literal('consulted.small_val') }}
    || case consulted.template_id when 'hypothetical_overtake' then ', ' || {{ sql_literal('consulted.large_val') }} else '' end
    || ')' as evidence_sql
from consulted
inner join {{ ref('attributes') }} as attribute
    on consulted.topic = attribute.topic and consulted.attribute = attribute.attribute
