{# Would a stated change lift one entity's value over another's, or over a threshold? Only quantities that do change, or of which
   one can have more, are changed. A coin decides which answer the size of the change aims at. #}
with pairs as (
    select
        pairs.*,
        attribute.is_integer,
        {{ coin("'aim/' || pair_key") }} as aims_high,
        {{ hash_fraction("'size/' || pair_key") }} as size
    from {{ ref('entity_pairs') }} as pairs
    inner join {{ ref('attributes') }} as attribute
        on pairs.topic = attribute.topic and pairs.attribute = attribute.attribute
    where pairs.pair_kind = 'close' and attribute.kind = 'number' and not attribute.is_year and attribute.hops = 1
        and (attribute.is_volatile or attribute.is_additive) and attribute.unit is not null
        and pairs.first_num > 0 and pairs.second_num > pairs.first_num and pairs.second_num < 2.2 * pairs.first_num
),

changes as (
    {{ value_changes('pairs') }}
),

candidates as (
    select *
    from changes
    where amount is not null and abs(amount) > 1 and target <> before
    qualify row_number() over (
        partition by topic, template_id order by {{ draw("template_id || '/' || pair_key") }}
    ) <= {{ cap('hypothetical_scenarios', 5) }}
),

answered as (
    select
        candidates.* exclude (first_id, second_id),
        case when grows then first_id else second_id end as subject_id,
        case when template_id <> 'hypothetical_threshold' then case when grows then second_id else first_id end end as other_id,
        case template_id when 'hypothetical_percent' then before * (1 + amount / 100) else before + amount end as after
    from candidates
)

select
    answered.template_id,
    answered.topic,
    answered.topic as scope_id,
    [answered.attribute] as attributes,
    'would_exceed' as operation,
    {{ exceed_slots('answered') }} as slots,
    answered.pair_key as id_slots,
    list_filter([answered.subject_id, answered.other_id], lambda e: e is not null) as named_ids,
    answered.after > answered.target as gold_boolean,
    abs(answered.after - answered.target) as margin,
    case when answered.other_id is null then 1 else 2 end as entity_count,
    case
        when not {{ gap_is_clear('abs(answered.after - answered.target)', 'attribute', 'answered.rounding') }} then 'tie'
    end as fault,
    'after the change they differ by ' || abs(answered.after - answered.target) as fault_detail,
    {{ words({
        'a': 'subject.shown',
        'b': 'other.shown',
        'phrase': 'attribute.phrase',
        'threshold': number_in_words('answered.target') ~ " || ' ' || attribute.unit",
        'still': "case when answered.grows then '' else 'still ' end",
        'changed': exceed_change_text('answered', 'attribute'),
        'dated': dated('attribute.as_of'),
    }) }} as words,
    {{ exceed_gold_sql('answered', 'attribute') }} as gold_sql,
    attribute.tuples_sql || 'label in (' || concat_ws(', ', {{ sql_literal('subject.label') }}, {{ sql_literal('other.label') }})
    || ') and ' || attribute.known_sql as evidence_sql
from answered
inner join {{ ref('attributes') }} as attribute
    on answered.topic = attribute.topic and answered.attribute = attribute.attribute
inner join {{ ref('named_entities') }} as subject
    on answered.topic = subject.topic and answered.subject_id = subject.entity_id
left join {{ ref('named_entities') }} as other on answered.topic = other.topic and answered.other_id = other.entity_id
