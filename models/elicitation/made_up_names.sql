{# A name of two: one's rarest word begins as it does, and ends as another's of the same topic does. #}
with words as (
    select
        entity_id,
        topic,
        title,
        {{ list_elements(split_words('title')) }} as word
    from {{ ref('subjects') }}
    -- a number could name something real
    where not {{ regex_matches('title', '[0-9]') }}
),

counted as (
    select
        *,
        count(*) over (partition by topic, word) as n_uses
    from words
),

rarest as (
    select
        entity_id,
        topic,
        title,
        word,
        {{ word_start('word') }} as beginning,
        {{ word_end('word') }} as ending
    from counted
    -- what many are called after would give the trick away
    where n_uses <= 2 and {{ word_start('word') }} <> '' and {{ word_end('word') }} <> ''
    qualify row_number() over (partition by entity_id order by n_uses, length(word) desc, word) = 1
),

-- who gives the beginning, and who the end, are neighbours in an order of its own each
placed as (
    select
        *,
        row_number() over (partition by topic order by {{ hash_fraction("'made up, first/' || entity_id") }}, entity_id) as first_place,
        row_number() over (partition by topic order by {{ hash_fraction("'made up, second/' || entity_id") }}, entity_id) as second_place
    from rarest
),

made as (
    select
        one.topic,
        replace(one.title, one.word, one.beginning || other.ending) as name,
        one.title as like_title
    from placed as one
    inner join placed as other on one.topic = other.topic and one.first_place = other.second_place
    where one.entity_id <> other.entity_id and one.word <> other.word
),

taken as (
    select {{ plain_words('label') }} as name
    from {{ ref('entities') }}
    where label is not null
    union
    select {{ plain_words('alias') }} as name
    from (select {{ list_elements('aliases') }} as alias from {{ ref('entities') }}) as also
),

found as (
    select
        name,
        max(n_found) as n_found
    from {{ ref('stg_elicitation__searched_names') }}
    group by name
)

select
    'name:' || {{ stable_id('made.name') }} as entity_id,
    made.name,
    min(made.topic) as topic,
    min(made.like_title) as like_title,
    max(found.n_found) as n_found
from made
left join found on made.name = found.name
left join taken on {{ plain_words('made.name') }} = taken.name
where taken.name is null
group by made.name
order by made.name
