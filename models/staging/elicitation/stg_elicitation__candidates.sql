select
    cast(list_id as varchar) as list_id,
    cast(set_name as varchar) as set_name,
    cast(ordinal as bigint) as ordinal,
    cast(title as varchar) as title,
    cast(entity_id as varchar) as entity_id,
    cast(domain as varchar) as domain,
    cast(n_characters as bigint) as n_characters,
    cast(n_statements as bigint) as n_statements,
    cast(views as bigint) as views,
    cast(is_disambiguation as boolean) as is_disambiguation,
    cast(drawn_at as timestamp) as drawn_at
from {{ source('landed_elicitation', 'candidates') }}
