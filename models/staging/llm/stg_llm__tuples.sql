select
    cast(run_id as varchar) as run_id,
    cast(question_id as varchar) as question_id,
    cast(sample as bigint) as sample,
    cast(ordinal as bigint) as ordinal,
    cast(entity as varchar) as entity,
    cast(attribute as varchar) as attribute,
    cast(value as varchar) as value,
    cast(matched as boolean) as matched
from {{ source('landed_llm', 'tuples') }}
