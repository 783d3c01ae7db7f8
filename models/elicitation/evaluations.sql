select
    landed.evaluation_id,
    landed.experiment_id,
    landed.judge,
    landed.judge_id,
    landed.embedder,
    landed.sample_size,
    landed.seed,
    landed.n_passages,
    landed.threshold,
    landed.reference_sha,
    landed.prompt_sha,
    landed.evaluated_at,
    -- of several of one experiment by one judge, the newest is the one to be compared
    row_number() over (
        partition by landed.experiment_id, landed.judge_id
        order by landed.evaluated_at desc, landed.evaluation_id desc
    ) = 1 as is_current
from {{ ref('stg_elicitation__evaluations') }} as landed
inner join {{ ref('experiments') }} as experiment on landed.experiment_id = experiment.experiment_id
order by landed.evaluation_id
