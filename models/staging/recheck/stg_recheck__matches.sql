select
    cast(recheck_id as varchar) as recheck_id,
    cast(question_id as varchar) as question_id,
    cast(n_match as integer) as n_match,
    cast(reason as varchar) as reason,
    cast(clues_md5 as varchar) as clues_md5,
    cast(endpoint as varchar) as endpoint,
    cast(checked_at as timestamp) as checked_at
from {{ source('landed_recheck', 'matches') }}
