select
    cast(judge_id as varchar) as judge_id,
    cast(judge as varchar) as judge,
    cast(example_id as varchar) as example_id,
    cast(verdict as varchar) as verdict,
    cast(error as varchar) as error,
    cast(request_hash as varchar) as request_hash,
    cast(judged_at as timestamp) as judged_at
from {{ source('landed_elicitation', 'judge_answers') }}
