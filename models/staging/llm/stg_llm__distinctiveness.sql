select
    cast(distinct_id as varchar) as distinct_id,
    cast(set_name as varchar) as set_name,
    cast(content_hash as varchar) as content_hash,
    cast(is_own as boolean) as is_own,
    cast(n_available as bigint) as n_available,
    cast(measure as varchar) as measure,
    cast(embedder as varchar) as embedder,
    cast(of_filter as boolean) as of_filter,
    cast(seed as bigint) as seed,
    cast(n as bigint) as n,
    cast(value as double) as value,
    cast(measured_at as timestamp) as measured_at
from {{ source('landed_llm', 'distinctiveness') }}
