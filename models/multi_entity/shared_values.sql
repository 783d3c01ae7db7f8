{# Whether two named entities have a value in common. Pairs come from a hash order over the topic (mostly "no") and over the
   members of one value (always "yes"). #}
{% set hash_order = hash_fraction("attribute || '/' || entity_id") ~ ', entity_id' %}
with related as (
    select facts.topic, facts.attribute, facts.entity_id, facts.val
    from {{ ref('entity_values') }} as facts
    inner join {{ ref('attributes') }} as attribute
        on facts.topic = attribute.topic and facts.attribute = attribute.attribute
    where attribute.shared is not null and attribute.kind = 'category'
),

entities as (
    select distinct topic, attribute, entity_id from related
),

drawn as (
    select
        topic,
        attribute,
        entity_id as one_id,
        lead(entity_id) over (partition by topic, attribute order by {{ hash_order }}) as two_id,
        'any' as pool
    from entities

    union

    select
        topic,
        attribute,
        entity_id as one_id,
        lead(entity_id) over (partition by topic, attribute, val order by {{ hash_order }}) as two_id,
        'same' as pool
    from related
),

pairs as (
    select
        topic,
        attribute,
        min(pool) as pool,
        least(one_id, two_id) as first_id,
        greatest(one_id, two_id) as second_id,
        concat_ws('/', topic, attribute, least(one_id, two_id), greatest(one_id, two_id)) as pair_key
    from drawn
    where two_id is not null
    group by all
),

candidates as (
    select *
    from pairs
    qualify row_number() over (partition by topic, pool order by {{ draw('pair_key') }})
        <= {{ cap('descriptive_relationship', 6) }}
),

-- From the few pairs to their values: from value to value would be every pair that shares one.
answered as (
    select
        candidates.*,
        count(two.val) > 0 as answer
    from candidates
    inner join related as one
        on candidates.topic = one.topic and candidates.attribute = one.attribute and candidates.first_id = one.entity_id
    left join related as two
        on candidates.topic = two.topic and candidates.attribute = two.attribute and candidates.second_id = two.entity_id
            and one.val = two.val
    group by all
)

select
    'shared_value' as template_id,
    answered.topic,
    answered.topic as scope_id,
    [answered.attribute] as attributes,
    'shared_value' as operation,
    json_object('attribute', answered.attribute, 'names', [one.label, two.label]) as slots,
    answered.pair_key as id_slots,
    [one.entity_id, two.entity_id] as named_ids,
    answered.answer as gold_boolean,
    2 as entity_count,
    {{ words({
        'a': 'one.shown',
        'b': 'two.shown',
        'shared': 'attribute.shared',
        'as_of': 'attribute.as_of',
    }) }} as words,
    {{ sql_lines([
        "'select count(*) > 0 as answer'",
        "'from (select val from (' || members.text || ') group by val having count(distinct entity_id) = 2)'",
    ]) }} as gold_sql,
    attribute.tuples_sql || named.text as evidence_sql
from answered
inner join {{ ref('attributes') }} as attribute
    on answered.topic = attribute.topic and answered.attribute = attribute.attribute
inner join {{ ref('named_entities') }} as one on answered.topic = one.topic and answered.first_id = one.entity_id
inner join {{ ref('named_entities') }} as two on answered.topic = two.topic and answered.second_id = two.entity_id
cross join lateral (
    select 'label in (' || {{ sql_literal('one.label') }} || ', ' || {{ sql_literal('two.label') }} || ') and ' || attribute.known_sql as text
) as named
cross join lateral (select {{ category_rows_sql('attribute', 'answered.topic', 'named.text') }} as text) as members
