{# Would a stated change lift one entity's value over another's, or over a threshold? Only quantities that do change, or of which
   one can have more, are changed. A coin decides which answer the size of the change aims at. #}
{% set percents = [5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100] %}
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
    -- the smaller one grows, or the larger one shrinks, by a round percentage
    select
        'hypothetical_percent' as template_id,
        pairs.*,
        aims_high as grows,
        case when aims_high then first_num else second_num end as before,
        case when aims_high then second_num else first_num end as target,
        list_extract(
            list_filter({{ percents }}, lambda p: case
                when aims_high and size < 0.5 then p > 100 * (second_num / first_num - 1)
                when aims_high then p < 100 * (second_num / first_num - 1)
                when size < 0.5 then p > 100 * (1 - first_num / second_num) and p < 100
                else p < 100 * (1 - first_num / second_num)
            end),
            case when size < 0.5 then 1 else -1 end
        ) * case when aims_high then 1 else -1 end as amount
    from pairs

    union all

    -- the smaller one gains a round amount, somewhat under or over what it lacks
    select
        'hypothetical_addition' as template_id,
        pairs.*,
        true as grows,
        first_num as before,
        second_num as target,
        {{ rounded_amount('(second_num - first_num) * case when aims_high then 1.1 + size / 2 else 0.5 + size * 0.4 end', 'is_integer') }}
        as amount
    from pairs

    union all

    -- the smaller one gains an amount; the threshold is a round number above it
    select
        'hypothetical_threshold' as template_id,
        pairs.*,
        true as grows,
        first_num as before,
        {{ rounded_amount('first_num * (1.05 + size / 4)', 'is_integer') }} as target,
        {{ rounded_amount('first_num * (0.05 + size / 4) * case when aims_high then 1.3 else 0.7 end', 'is_integer') }} as amount
    from pairs
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
