{# Sets that were drawn live, and lists of titles. A draw or list takes the place of an older one of its name. #}
with newest as (
    select *
    from {{ ref('stg_elicitation__candidates') }}
    qualify dense_rank() over (partition by set_name order by drawn_at desc, list_id desc) = 1
),

-- who comes with a title alone may be known here; two of one title tell nothing
titled as (
    select
        {{ plain_words('title') }} as words,
        min(entity_id) as entity_id
    from {{ ref('subjects') }}
    group by {{ plain_words('title') }}
    having count(*) = 1
),

identified as (
    select
        newest.*,
        coalesce(newest.entity_id, titled.entity_id, 'title:' || {{ stable_id('newest.title') }}) as known_id
    from newest
    left join titled on {{ plain_words('newest.title') }} = titled.words
    where
        not coalesce(newest.is_disambiguation, false)
        and coalesce(newest.n_characters >= {{ var('elicitation').least_characters }}, true)
        and coalesce(newest.n_statements >= {{ var('elicitation').least_statements }}, true)
    -- the same entity under two titles is asked about once
    qualify row_number() over (partition by newest.set_name, known_id order by newest.ordinal) = 1
),

known as (
    select
        entity_id,
        count(*) as n_reference
    from {{ ref('reference_triples') }}
    group by entity_id
),

described as (
    select
        listed.set_name,
        listed.known_id as entity_id,
        listed.title,
        subject.description,
        subject.topic,
        coalesce(listed.domain, subject.domain, 'Other') as domain,
        case when listed.views is not null then {{ decade_of('listed.views') }} || ' page views' end as popularity_bucket,
        {{ reference_range('coalesce(known.n_reference, 0)') }} as reference_range,
        coalesce(listed.n_statements, subject.n_statements, 0) as n_statements,
        listed.n_characters,
        coalesce(known.n_reference, 0) as n_reference,
        listed.ordinal as place
    from identified as listed
    left join {{ ref('subjects') }} as subject on listed.known_id = subject.entity_id
    left join known on listed.known_id = known.entity_id
),

-- a live draw comes as it comes: the first of these sets are spread over their kinds as those of an offline one are
turns as (
    select
        *,
        row_number() over (
            partition by set_name, case set_name
                when 'domains' then domain
                when 'popularity' then popularity_bucket
                when 'ranges' then reference_range
            end
            order by place
        ) as turn
    from described
)

select
    set_name,
    entity_id,
    title,
    description,
    topic,
    domain,
    popularity_bucket,
    reference_range,
    n_statements,
    n_characters,
    n_reference,
    row_number() over (partition by set_name order by turn, place) - 1 as ordinal
from turns
order by set_name, ordinal
