{% set ranked_value = "{'n_members': n_members, 'val': val}" %}
with ranked as (
    select
        scope_id,
        topic,
        attribute,
        max(n) as n,
        max(n_values) as n_values,
        -- the value takes part in the order, so that equally common ones come out the same on every run
        max({{ ranked_value }}, 2) as most,
        min({{ ranked_value }}, 2) as fewest
    from {{ ref('scope_categories') }}
    group by all
    having count(*) > 1
),

drawn as (
    select
        ranked.scope_id,
        ranked.topic,
        ranked.attribute,
        ranked.n,
        direction.operation,
        case direction.operation when 'most_members' then ranked.most else ranked.fewest end as best
    from ranked
    inner join {{ ref('attributes') }} as attribute
        on ranked.topic = attribute.topic and ranked.attribute = attribute.attribute
    cross join (values ('most_members'), ('fewest_members')) as direction (operation)
    -- the rarest of many categories is nearly always one of several with a single member
    where attribute.kind = 'category' and (direction.operation = 'most_members' or ranked.n_values <= 12)
    qualify row_number() over (
        partition by ranked.topic
        order by {{ draw("ranked.scope_id || '/' || ranked.attribute || direction.operation", 'sqrt(ranked.n)') }}
    ) <= {{ cap('superlative', 2) }}
),

measured as (
    select
        drawn.* exclude (best),
        best[1].val as answer,
        abs(best[1].n_members - best[2].n_members) as gap
    from drawn
)

select
    'superlative_category' as template_id,
    measured.topic,
    measured.scope_id,
    [measured.attribute] as attributes,
    measured.operation,
    json_object('attribute', measured.attribute) as slots,
    measured.operation || '/' || measured.attribute as id_slots,
    'category' as gold_kind,
    measured.answer as gold_text,
    measured.gap as margin,
    measured.n as entity_count,
    case when measured.gap < 1 then 'tie' end as fault,
    'two categories have equally many members' as fault_detail,
    {{ words({
        'things': 'scope.things',
        'phrase': 'attribute.phrase',
        'most': "case measured.operation when 'most_members' then 'most' else 'fewest' end",
        'commonest': "case measured.operation when 'most_members' then 'most common' else 'least common' end",
        'as_of': 'attribute.as_of',
    }) }} as words,
    {{ sql_lines([
        "'select val as answer'",
        "'from (' || members.text || ')'",
        "'group by val'",
        "'order by count(distinct entity_id)' || case measured.operation when 'most_members' then ' desc' else '' end "
        ~ "|| ' limit 1'",
    ]) }} as gold_sql,
    attribute.tuples_sql || {{ sql_all(['scope.scope_sql', 'attribute.known_sql']) }} as evidence_sql
from measured
inner join {{ ref('scopes') }} as scope on measured.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as attribute
    on measured.topic = attribute.topic and measured.attribute = attribute.attribute
cross join lateral (
    select {{ category_rows_sql('attribute', "measured.topic", sql_all(['scope.scope_sql', 'attribute.known_sql'])) }} as text
) as members
