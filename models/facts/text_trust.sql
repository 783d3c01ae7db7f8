-- How far a reader can be believed where nothing is recorded is what it came to where something is: for the property where that
-- was often enough, else for all that it read.
with compared as (
    select
        extractor,
        property_id,
        count(*) filter (where verdict in ('agrees', 'conflicts')) as n_compared,
        count(*) filter (where verdict = 'agrees') as n_agrees,
        count(*) filter (where verdict = 'silent') as n_silent
    from {{ ref('text_agreement') }}
    group by extractor, property_id
),

overall as (
    select
        *,
        sum(n_compared) over (partition by extractor) as all_compared,
        sum(n_agrees) over (partition by extractor) as all_agree
    from compared
)

select
    extractor,
    property_id,
    n_compared,
    n_agrees,
    n_silent,
    n_compared >= {{ var('text').least_compared }} as by_property,
    case
        when n_compared >= {{ var('text').least_compared }} then n_agrees / n_compared
        when all_compared >= {{ var('text').least_compared }} then all_agree / all_compared
    end as agreement,
    coalesce(agreement >= {{ var('text').least_agreement }}, false) as is_trusted
from overall
order by extractor, property_id
