{# Trials of a verifier are taken in order until k of them are scored; what came to nothing in between counts as an error and says
   nothing of the question. Accuracies are plain shares of these k, as the thresholds are meant. #}
{% set given = var('difficulty') %}
{% set stages = {'v1': ('closed_book', given.k1, given.tau1), 'v2': ('agent', given.k2, given.tau2)} %}
with asked as (
    select question_id, question, gold_answer
    from {{ ref('questions') }}
    where family = 'deep_research'
),

trials as (
    select
        run.model as verifier,
        run.setting,
        answer.question_id,
        coalesce(verdict.scored and answer.outcome <> 'failed', false) as is_scored,
        coalesce(verdict.correct, false) as is_correct,
        row_number() over (
            partition by run.model, run.setting, answer.question_id order by run.started_at, run.run_id, answer.sample
        ) as turn
    from {{ ref('answers') }} as answer
    inner join {{ ref('runs') }} as run on answer.run_id = run.run_id
    inner join asked on answer.question_id = asked.question_id
    left join {{ ref('verdicts') }} as verdict
        on answer.run_id = verdict.run_id and answer.question_id = verdict.question_id and answer.sample = verdict.sample
    -- a reworded question is another one to try, and old data had another answer
    where run.is_current and coalesce({{ json_text('run.question_set', '$.wording') }}, 'minted') = 'minted'
),

taken as (
    select
        *,
        count(*) filter (where is_scored) over (
            partition by verifier, setting, question_id
            order by turn rows between unbounded preceding and 1 preceding
        ) as scored_before
    from trials
),

-- what somebody got right with the evidence at hand, or people found valid as it stands, can be answered
proven as (
    select question_id
    from trials
    where setting = 'oracle' and is_scored and is_correct
    union
    select asked.question_id
    from asked
    inner join {{ ref('adjudicated') }} as reviewed
        on asked.question_id = reviewed.question_id and asked.question = reviewed.question and asked.gold_answer = reviewed.gold_answer
    where reviewed.is_valid
),

counted as (
    select
        asked.question_id,
        verifiers.verifier,
        {% for stage, (setting, k, _) in stages.items() -%}
            {%- set here = "taken.setting = '" ~ setting ~ "' and taken.scored_before < " ~ k -%}
            count(*) filter (where {{ here }} and taken.is_scored and taken.is_correct) as {{ stage }}_solved,
            count(*) filter (where {{ here }} and taken.is_scored and not taken.is_correct) as {{ stage }}_failed,
            count(*) filter (where {{ here }} and not taken.is_scored) as {{ stage }}_errored,
        {% endfor -%}
        max(asked.gold_answer) as gold_answer
    from asked
    cross join (select distinct verifier from trials where setting in ('closed_book', 'agent')) as verifiers
    left join taken on asked.question_id = taken.question_id and verifiers.verifier = taken.verifier
    group by asked.question_id, verifiers.verifier
),

staged as (
    select
        counted.*,
        {% for stage, (_, k, _) in stages.items() -%}
            {{ stage }}_solved + {{ stage }}_failed + {{ stage }}_errored as {{ stage }}_tried,
            case
                when {{ stage }}_solved + {{ stage }}_failed >= {{ k }}
                    and {{ stage }}_errored <= {{ given.most_errors }} * ({{ stage }}_solved + {{ stage }}_failed + {{ stage }}_errored)
                    then cast({{ stage }}_solved as double) / {{ k }}
            end as {{ stage }}_accuracy,
        {% endfor -%}
        proven.question_id is not null as is_proven
    from counted
    left join proven on counted.question_id = proven.question_id
)

select
    * exclude (v1_tried, v2_tried),
    {% for outcome in ['solved', 'failed', 'errored'] -%}
        v1_{{ outcome }} + v2_{{ outcome }} as n_{{ outcome }},
    {% endfor -%}
    case
        when v1_accuracy >= {{ given.tau1 }} then 'too_easy_closed_book'
        when v2_accuracy >= {{ given.tau2 }} then 'too_easy_agent'
        when (v1_tried > 0 and v1_accuracy is null) or (v2_tried > 0 and v2_accuracy is null) then 'undecided'
        when v1_tried = 0 or v2_tried = 0 then 'not_checked'
        when not is_proven then 'unproven'
        else 'hard'
    end as status
from staged
order by question_id, verifier
