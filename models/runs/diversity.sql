{# A selection says something of the exact set of texts that it was made over, and of no other. #}
with present as (
    select {{ digest_of_rows("question_id || ' ' || question", 'question_id') }} as texts_sha
    from {{ ref('questions') }}
    where family = 'deep_research'
)

select
    landed.selection_id,
    landed.embedder,
    landed.threshold,
    landed.comparison,
    landed.question_id,
    landed.is_diverse,
    landed.removed_for,
    landed.n_near,
    landed.texts_sha,
    landed.selected_at
from {{ ref('stg_llm__diversity') }} as landed
inner join present on landed.texts_sha = present.texts_sha
order by landed.embedder, landed.threshold, landed.comparison, landed.question_id
