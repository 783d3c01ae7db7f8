select
    cast(selection_id as varchar) as selection_id,
    cast(comparison as varchar) as comparison,
    cast(question_id as varchar) as question_id,
    cast(is_diverse as boolean) as is_diverse,
    cast(removed_for as varchar) as removed_for,
    cast(n_near as bigint) as n_near,
    cast(threshold as double) as threshold,
    cast(embedder as varchar) as embedder,
    cast(texts_sha as varchar) as texts_sha,
    cast(selected_at as timestamp) as selected_at
from {{ source('landed_llm', 'diversity') }}
