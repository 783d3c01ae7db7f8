select
    landed.evaluation_id,
    landed.experiment_id,
    landed.direction,
    landed.triple_id,
    landed.entity_id,
    landed.verdict,
    landed.method,
    landed.matched_id,
    landed.passages,
    landed.error,
    landed.prompt_tokens,
    landed.completion_tokens,
    landed.cost_usd,
    landed.request_hash
from {{ ref('stg_elicitation__verdicts') }} as landed
inner join {{ ref('evaluations') }} as evaluation on landed.evaluation_id = evaluation.evaluation_id
order by landed.evaluation_id, landed.direction, landed.triple_id
