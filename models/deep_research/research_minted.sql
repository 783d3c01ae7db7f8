select
    judged.question_id,
    judged.domain,
    case when judged.b_id is null then [judged.a_id] else [judged.a_id, judged.b_id] end as entity_ids,
    judged.clues,
    judged.n_chains,
    judged.n_clues,
    judged.n_entities,
    judged.n_properties,
    cast(judged.n_entities + judged.n_properties as double) as cci,
    judged.spread,
    cast(judged.n_left as integer) as n_match_warehouse
from {{ ref('research_judged') }} as judged
where judged.reason is null
order by judged.question_id
