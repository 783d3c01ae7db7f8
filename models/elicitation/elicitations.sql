select
    landed.experiment_id,
    experiment.model,
    experiment.setting,
    experiment.prompt,
    landed.entity_id,
    landed.title,
    landed.outcome,
    landed.truncated,
    landed.expected,
    landed.n_triples,
    landed.answer_text,
    landed.finish_reason,
    landed.error,
    landed.n_calls,
    landed.prompt_tokens,
    landed.completion_tokens,
    landed.cost_usd,
    landed.latency_s,
    landed.request_hashes
from {{ ref('stg_elicitation__elicitations') }} as landed
inner join {{ ref('experiments') }} as experiment on landed.experiment_id = experiment.experiment_id
order by landed.experiment_id, landed.entity_id
