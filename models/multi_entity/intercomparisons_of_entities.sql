{# (A, B) and (B, A) are one question; a coin decides which of them is named first, another whether more or less is asked for. #}
with candidates as (
    select
        *,
        case when {{ coin("'direction/' || pair_key") }} then 'max' else 'min' end as operation,
        {{ coin("'order/' || pair_key") }} as is_in_order
    from {{ ref('entity_pairs') }}
    where pair_kind = 'any'
    qualify row_number() over (partition by topic order by {{ draw('pair_key') }}) <= {{ cap('intercomparison', 2) }}
),

oriented as (
    select
        topic,
        attribute,
        operation,
        pair_key,
        abs(first_num - second_num) as gap,
        rounding,
        case when is_in_order then first_id else second_id end as first_id,
        case when is_in_order then second_id else first_id end as second_id,
        case when is_in_order then first_num else second_num end as first_num,
        case when is_in_order then second_num else first_num end as second_num
    from candidates
)

select
    'intercomparison_entities' as template_id,
    oriented.topic,
    oriented.topic as scope_id,
    [oriented.attribute] as attributes,
    oriented.operation,
    json_object('attribute', oriented.attribute, 'names', [one.label, two.label]) as slots,
    oriented.operation || oriented.pair_key as id_slots,
    [one.entity_id, two.entity_id] as named_ids,
    'entity' as gold_kind,
    case when (oriented.first_num > oriented.second_num) = (oriented.operation = 'max') then one.label else two.label end as gold_text,
    case when (oriented.first_num > oriented.second_num) = (oriented.operation = 'max') then one.entity_id else two.entity_id end
    as answer_entity_id,
    oriented.gap as margin,
    2 as entity_count,
    case
        when oriented.gap = 0 or not {{ gap_is_clear('oriented.gap', 'attribute', 'oriented.rounding') }} then 'tie'
        when {{ lead_is_stale('attribute', 'oriented.first_num', 'oriented.second_num') }} then 'stale_prone'
    end as fault,
    'they differ by ' || oriented.gap as fault_detail,
    {{ words({
        'singular': 'attribute.singular',
        'plural': 'attribute.plural',
        'a': 'one.shown',
        'b': 'two.shown',
        'phrase': 'attribute.phrase',
        'more': "case oriented.operation when 'max' then attribute.more else attribute.less end",
        'as_of': 'attribute.as_of',
    }) }} as words,
    {{ sql_lines([
        "'select label as answer'",
        "'from topics.' || oriented.topic",
        "'where ' || members.text",
        "'order by ' || attribute.col || case oriented.operation when 'max' then ' desc' else '' end || ' limit 1'",
    ]) }} as gold_sql,
    attribute.tuples_sql || members.text as evidence_sql
from oriented
inner join {{ ref('attributes') }} as attribute
    on oriented.topic = attribute.topic and oriented.attribute = attribute.attribute
inner join {{ ref('named_entities') }} as one on oriented.topic = one.topic and oriented.first_id = one.entity_id
inner join {{ ref('named_entities') }} as two on oriented.topic = two.topic and oriented.second_id = two.entity_id
cross join lateral (
    select 'label in (' || {{ sql_literal('one.label') }} || ', ' || {{ sql_literal('two.label') }} || ') and ' || attribute.known_sql as text
) as members
