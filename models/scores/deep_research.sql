{# The minted rows with what was found out about them since; here and not in the room of questions, so that scoring alone renews it. #}
{{ config(schema='questions') }}
select
    minted.question_id,
    minted.domain,
    minted.entity_ids,
    minted.clues,
    minted.n_chains,
    minted.n_clues,
    minted.n_entities,
    minted.n_properties,
    minted.cci,
    minted.spread,
    minted.n_match_warehouse,
    live.n_match as n_match_live,
    tried.v1_accuracy,
    tried.v2_accuracy,
    nullif(tried.status, 'not_checked') as difficulty_status,
    diversity.is_diverse,
    diversity.removed_for
from {{ ref('research_minted') }} as minted
left join {{ ref('difficulty') }} as tried
    on minted.question_id = tried.question_id and tried.verifier = '{{ var("difficulty").verifier }}'
left join {{ ref('diversity') }} as diversity
    on minted.question_id = diversity.question_id
        and diversity.embedder = '{{ var("diversity").embedder }}'
        and diversity.threshold = {{ var('diversity').threshold }}::double
        and diversity.comparison = '{{ var("diversity").comparison }}'
left join (
    select question_id, n_match
    from {{ ref('uniqueness') }}
    -- the bundled sample is no other world than the warehouse
    where is_current and n_match is not null and endpoint <> 'sample'
    qualify row_number() over (partition by question_id order by checked_at desc, recheck_id desc) = 1
) as live
    on minted.question_id = live.question_id
order by minted.question_id
