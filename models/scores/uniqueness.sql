{# A count says something of a question only while its clues are the same. #}
select
    matches.recheck_id,
    matches.question_id,
    matches.n_match,
    matches.reason,
    matches.clues_md5,
    coalesce(matches.clues_md5 = md5(cast(traces.clues as varchar)), false) as is_current,
    matches.endpoint,
    matches.checked_at
from {{ ref('stg_recheck__matches') }} as matches
left join {{ ref('traces') }} as traces on matches.question_id = traces.question_id
order by matches.recheck_id, matches.question_id
