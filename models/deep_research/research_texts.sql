{# Each candidate's text. Three ways to begin, chosen by hash; the task is the template's own. #}
with described as (
    select
        texts.entity_id,
        {{ joined_rows("replace(texts.clause, '{it}', entity.pronoun)", '. ', 'texts.place') }} as sentences,
        {{ joined_rows("replace(texts.clause, '{it}', lower(entity.pronoun))", '; ', 'texts.place') }} as clauses,
        to_json({{ list_agg_ordered("replace(texts.clause, '{it}', entity.pronoun)", 'texts.place') }}) as clues,
        min(texts.n_left) as n_left,
        count(distinct texts.mid_id) filter (where texts.kind = 'chain') as n_ways,
        count(*) filter (where texts.kind = 'chain') as n_chains,
        count(*) as n_clues
    from {{ ref('clue_texts') }} as texts
    inner join {{ ref('research_entities') }} as entity on texts.entity_id = entity.entity_id
    group by texts.entity_id
),

parts as (
    select
        candidates.*,
        entity.singular,
        entity.plural,
        entity.relative,
        a.sentences as a_sentences,
        a.clauses as a_clauses,
        b.clauses as b_clauses,
        a.clues as a_clues,
        b.clues as b_clues,
        greatest(a.n_left, coalesce(b.n_left, 1)) as n_left,
        least(a.n_ways, coalesce(b.n_ways, a.n_ways)) as n_ways,
        cast(a.n_chains + coalesce(b.n_chains, 0) as integer) as n_chains,
        cast(a.n_clues + coalesce(b.n_clues, 0) as integer) as n_clues,
        1 + cast(floor({{ hash_fraction("'wording/' || candidates.question_id") }} * 3) as integer) as wording
    from {{ ref('research_candidates') }} as candidates
    inner join {{ ref('research_entities') }} as entity on candidates.a_id = entity.entity_id and candidates.topic = entity.topic
    inner join described as a on candidates.a_id = a.entity_id
    left join described as b on candidates.b_id = b.entity_id
),

begun as (
    select
        *,
        case
            when b_id is not null and wording = 1
                then 'Consider two ' || plural || '. Of the first this is known: ' || a_clauses || '. Of the second: ' || b_clauses || '.'
            when b_id is not null and wording = 2
                then 'Two ' || plural || ' have to be found. The first: ' || a_clauses || '. The second: ' || b_clauses || '.'
            when b_id is not null
                then 'Find two ' || plural || ', the first from this: ' || a_clauses || '; and the second from this: ' || b_clauses || '.'
            when wording = 1 then 'Consider a ' || singular || '. ' || a_sentences || '.'
            when wording = 2 then 'There is a ' || singular || ' of ' || relative || ' this is known: ' || a_clauses || '.'
            else 'Find the ' || singular || ' of ' || relative || ' all of this is true: ' || a_clauses || '.'
        end as beginning
    from parts
)

select
    question_id,
    domain,
    topic,
    template_id,
    {{ template_text('family') }} as reasoning,
    template_id || '/' || wording as wording_id,
    a_id,
    b_id,
    case when b_id is null then 1 else 2 end as n_entities,
    as_of,
    is_undated,
    p1,
    p2,
    cast(case when b_id is null then json_array(a_clues) else json_array(a_clues, b_clues) end as json) as clues,
    {{ research_attributes() }} as attributes,
    {{ research_slots() }} as slots,
    n_left,
    n_ways,
    n_chains,
    n_clues,
    {{ template_flag('exact') }} as is_exact,
    {{ template_number('least_answer') }} as least_answer,
    {{ template_number('most_answer') }} as most_answer,
    {{ template_unit() }} as unit,
    {{ template_properties() }} as n_properties,
    beginning || ' ' || {{ filled_task() }} as question,
    {{ research_gold_sql() }} as gold_sql,
    {{ research_evidence_sql() }} as evidence_sql
from begun
