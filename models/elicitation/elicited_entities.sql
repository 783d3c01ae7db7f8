{%- set sets = var('elicitation') %}
{%- set columns = [
    'set_name', 'entity_id', 'title', 'description', 'topic', 'domain', 'popularity_bucket', 'reference_range', 'n_statements',
    'n_characters', 'n_reference', 'ordinal'
] %}
{#- Sets are drawn by hashes of ids alone, and the first n of one are a smaller set of the same kind. #}
with known as (
    select
        entity_id,
        count(*) as n_reference
    from {{ ref('reference_triples') }}
    group by entity_id
),

able as (
    select
        subject.*,
        known.n_reference,
        {{ decade_of('subject.popularity') }} || ' ' || subject.popularity_measure as popularity_bucket,
        {{ reference_range('known.n_reference') }} as reference_range,
        {{ hash_fraction("'elicited/' || subject.entity_id") }} as draw
    from {{ ref('subjects') }} as subject
    inner join known on subject.entity_id = known.entity_id
    where
        subject.n_statements >= {{ sets.least_statements }}
        and not subject.is_disambiguation
        -- how long an article is counts where there is one
        and coalesce(subject.n_characters >= {{ sets.least_characters }}, true)
),

-- by turns from each kind, so that the first of a set are spread over all of them
turns as (
    {%- for set_name, kind in [
        ('random', "'all'"), ('domains', 'domain'), ('popularity', 'popularity_bucket'), ('ranges', 'reference_range')
    ] %}
    select
        '{{ set_name }}' as set_name,
        row_number() over (partition by {{ kind }} order by draw) as turn,
        *
    from able
    where {{ kind }} is not null
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
),

drawn as (
    select
        *,
        row_number() over (partition by set_name order by turn, draw) - 1 as ordinal
    from turns
    where set_name not in (select set_name from {{ ref('listed_entities') }})
),

made_up as (
    select
        made.entity_id,
        made.name,
        made.topic,
        row_number() over (order by {{ hash_fraction("'made up/' || made.name") }}) - 1 as ordinal
    from {{ ref('made_up_names') }} as made
    -- a name that a search knows is not made up
    where coalesce(made.n_found, 0) = 0
)

select
    {{ columns | join(',\n    ') }}
from drawn
where ordinal < case set_name when 'random' then {{ sets.random }} else {{ sets.others }} end
union all
select
    'non_existing' as set_name,
    made_up.entity_id,
    made_up.name as title,
    meta.singular as description,
    made_up.topic,
    coalesce(domain.domain, 'Other') as domain,
    null as popularity_bucket,
    null as reference_range,
    0 as n_statements,
    null as n_characters,
    0 as n_reference,
    made_up.ordinal
from made_up
left join {{ ref('topic_meta') }} as meta on made_up.topic = meta.topic
left join {{ ref('topic_domains') }} as domain on made_up.topic = domain.topic
where made_up.ordinal < {{ sets.others }}
union all
select
    {{ columns | join(',\n    ') }}
from {{ ref('listed_entities') }}
order by set_name, ordinal
