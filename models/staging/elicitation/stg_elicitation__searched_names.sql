select
    cast(search_id as varchar) as search_id,
    cast(name as varchar) as name,
    cast(n_found as bigint) as n_found,
    cast(endpoint as varchar) as endpoint,
    cast(searched_at as timestamp) as searched_at
from {{ source('landed_elicitation', 'searched_names') }}
