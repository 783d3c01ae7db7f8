{# A question is compared where both verifiers came to a decision on it; one survives that neither stage found too easy. #}
with decided as (
    select
        question_id,
        verifier,
        gold_answer,
        status in ('hard', 'unproven') as survives
    from {{ ref('difficulty') }}
    where status not in ('not_checked', 'undecided')
)

select
    one.verifier as verifier_a,
    other.verifier as verifier_b,
    count(*) as n_compared,
    count(*) filter (where one.survives) as survivors_a,
    count(*) filter (where other.survives) as survivors_b,
    count(*) filter (where one.survives and other.survives) as n_shared,
    cast(count(*) filter (where one.survives and other.survives) as double)
    / nullif(count(*) filter (where one.survives), 0) as share_of_a,
    cast(count(*) filter (where one.survives and other.survives) as double)
    / nullif(count(*) filter (where other.survives), 0) as share_of_b,
    count(*) filter (where one.survives and other.survives and one.gold_answer = other.gold_answer) as n_same_gold
from decided as one
inner join decided as other on one.question_id = other.question_id and one.verifier < other.verifier
group by one.verifier, other.verifier
order by one.verifier, other.verifier
