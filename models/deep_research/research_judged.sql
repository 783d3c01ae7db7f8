{# The first reason that speaks against a candidate; NULL where none does. #}
with described as (
    select
        texts.*,
        answers.answer,
        answers.spread,
        answers.least_response,
        case when texts.is_exact then 0 else greatest(0.02, ceil(answers.spread * 1000) / 1000) end as tolerance,
        row_number() over (partition by texts.question order by texts.question_id) as copy,
        ' ' || {{ plain_words('texts.question') }} || ' ' as plain_question,
        {{ split_words(plain_words('texts.question')) }} as question_words
    from {{ ref('research_texts') }} as texts
    left join {{ ref('research_answers') }} as answers on texts.question_id = answers.question_id
),

names as (
    select
        entity_id,
        {{ plain_words('name') }} as plain_name
    from {{ ref('research_names') }}
),

words as (
    select
        described.question_id,
        bool_or(
            contains(described.plain_question, ' ' || names.plain_name || ' ')
            or {{ has_similar_word('described.question_words', 'names.plain_name') }}
        ) as is_named
    from described
    inner join names on names.entity_id in (described.a_id, coalesce(described.b_id, described.a_id))
    group by described.question_id
),

judged as (
    select
        described.*,
        case
            when described.n_left > 1 then 'not_unique'
            when described.n_ways < 2 then 'flattened'
            when coalesce(words.is_named, false) then 'leak'
            when described.is_undated then 'undated'
            when described.answer is null or described.answer < described.least_answer or described.answer > described.most_answer
                then 'degenerate'
            when described.spread > 0.05 then 'imprecise'
            when described.least_response <= described.tolerance then 'insensitive'
            when described.copy > 1 then 'duplicate'
        end as reason
    from described
    left join words on described.question_id = words.question_id
)

select
    * exclude (plain_question, question_words, copy),
    case reason
        when 'flattened' then 'all clues go through one thing'
        when 'not_unique' then n_left || ' entities fit the clues'
        when 'imprecise' then 'the precision of the sources moves the answer by ' || round(100 * spread, 1) || '%'
        when 'insensitive' then 'a tenth more of an input moves the answer by ' || round(100 * least_response, 2) || '%'
        when 'degenerate' then 'the answer would be ' || answer
    end as detail
from judged
