select
    scope_id,
    attribute,
    n
from {{ ref('scope_numbers') }}

union all

select
    scope_id,
    attribute,
    max(n) as n
from {{ ref('scope_categories') }}
group by all
