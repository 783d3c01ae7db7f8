with ranked as (
    select
        'superlative_entity' as template_id,
        direction.operation,
        numbers.scope_id,
        numbers.topic,
        numbers.attribute,
        numbers.n,
        case direction.operation when 'max' then numbers.top else numbers.bottom end as best
    from {{ ref('scope_numbers') }} as numbers
    cross join (values ('max'), ('min')) as direction (operation)
    where numbers.n > 1
    qualify row_number() over (
        partition by numbers.topic
        order by {{ draw("numbers.scope_id || '/' || numbers.attribute || direction.operation", 'sqrt(numbers.n)') }}
    ) <= {{ cap('superlative', 1) }}
),

measured as (
    select
        ranked.*,
        abs(ranked.best[1].num - ranked.best[2].num) as gap,
        ranked.best[1].rounding + ranked.best[2].rounding as rounding
    from ranked
),

-- Who is in a scope is not known of everyone: the record must not be held by one of whom it is unknown.
narrowed as (
    select distinct topic, scope_attribute from {{ ref('scopes') }} where scope_attribute is not null
),

unplaced as (
    select
        narrowed.topic,
        narrowed.scope_attribute,
        facts.attribute,
        max(facts.num) as highest,
        min(facts.num) as lowest
    from narrowed
    inner join {{ ref('entity_values') }} as facts on narrowed.topic = facts.topic and facts.num is not null
    left join {{ ref('entity_values') }} as placed
        on facts.topic = placed.topic and facts.entity_id = placed.entity_id
            and narrowed.scope_attribute = placed.attribute
    where placed.entity_id is null
    group by all
)

select
    measured.template_id,
    measured.topic,
    measured.scope_id,
    [measured.attribute] as attributes,
    measured.operation,
    json_object('attribute', measured.attribute) as slots,
    measured.operation || '/' || measured.attribute as id_slots,
    'entity' as gold_kind,
    winner.label as gold_text,
    winner.entity_id as answer_entity_id,
    measured.gap as margin,
    measured.n as entity_count,
    case
        when measured.gap = 0 or not {{ gap_is_clear('measured.gap', 'attribute', 'measured.rounding') }} then 'tie'
        when {{ lead_is_stale('attribute', 'measured.best[1].num', 'measured.best[2].num') }} then 'stale_prone'
        when case measured.operation
            when 'max' then unplaced.highest >= measured.best[1].num
            else unplaced.lowest <= measured.best[1].num
        end then 'missing_values'
    end as fault,
    'the best two differ by ' || measured.gap
    || coalesce('; without ' || unplaced.scope_attribute || ' ' || unplaced.lowest || ' to ' || unplaced.highest, '')
    as fault_detail,
    {{ words({
        'which': "case when scope.scope_attribute is null then 'Which ' || scope.thing else 'Which of the ' || scope.things end",
        'things': 'scope.things',
        'phrase': 'attribute.phrase',
        'most': "case measured.operation when 'max' then attribute.most else attribute.least end",
        'as_of': 'attribute.as_of',
    }) }} as words,
    {{ sql_lines([
        "'select label as answer'",
        "'from topics.' || measured.topic",
        "'where ' || " ~ sql_all(['scope.scope_sql', 'attribute.known_sql']),
        "'order by ' || attribute.col || case measured.operation when 'max' then ' desc' else '' end || ' limit 1'",
    ]) }} as gold_sql,
    attribute.tuples_sql || {{ sql_all(['scope.scope_sql', 'attribute.known_sql']) }} as evidence_sql
from measured
inner join {{ ref('scopes') }} as scope on measured.scope_id = scope.scope_id
inner join {{ ref('attributes') }} as attribute
    on measured.topic = attribute.topic and measured.attribute = attribute.attribute
inner join {{ ref('named_entities') }} as winner
    on measured.topic = winner.topic and measured.best[1].entity_id = winner.entity_id
left join unplaced
    on measured.topic = unplaced.topic and scope.scope_attribute = unplaced.scope_attribute
        and measured.attribute = unplaced.attribute
