with costs as (
    select
        run_id,
        {{ exact_sum('cost_usd') }} as cost_usd,
        sum(prompt_tokens) as prompt_tokens,
        sum(completion_tokens) as completion_tokens
    from (
        select run_id, cost_usd, prompt_tokens, completion_tokens from {{ ref('answers') }}
        union all
        select run_id, cost_usd, prompt_tokens, completion_tokens from {{ ref('tables') }}
    ) as calls
    group by run_id
),

board as (
    select
        run.*,
        score.accuracy,
        score.ci_low,
        score.ci_high,
        score.accuracy_answered,
        score.chance,
        score.entity_accuracy,
        score.entity_ci_low,
        score.entity_ci_high,
        score.both_right,
        score.ea_f1,
        score.n_questions as n_asked,
        score.n,
        score.n_unscored,
        case when score.accuracy is not null then rank() over (one_board order by score.accuracy desc nulls last) end as rank,
        first_value(run.run_id) over (one_board order by score.accuracy desc nulls last, run.run_id) as leader
    from {{ ref('runs') }} as run
    left join {{ ref('by_model') }} as score on run.run_id = score.run_id and score.slice_kind = 'overall'
    window one_board as (partition by run.family, run.split, run.question_set, run.snapshot_id)
),

-- each pair from both sides
rivals as (
    select run_a as run_id, run_b as rival, tied, c > b as is_beaten from {{ ref('pairwise') }}
    union all
    select run_b as run_id, run_a as rival, tied, b > c as is_beaten from {{ ref('pairwise') }}
),

groups as (
    select
        board.run_id,
        count(*) filter (where rivals.is_beaten and not rivals.tied) as n_better,
        bool_or(rivals.tied) filter (where rivals.rival = board.leader) as is_tied
    from board
    inner join rivals on board.run_id = rivals.run_id
    -- a leader leads one board alone, so that it names the board
    inner join board as other on rivals.rival = other.run_id and board.leader = other.leader
    group by board.run_id
)

select
    board.rank,
    board.run_id,
    board.model,
    board.base_model,
    board.setting,
    board.family,
    board.split,
    board.question_set,
    board.snapshot_id,
    board.is_current,
    board.accuracy,
    board.ci_low,
    board.ci_high,
    board.accuracy_answered,
    board.chance,
    board.entity_accuracy,
    board.entity_ci_low,
    board.entity_ci_high,
    board.both_right,
    case when board.accuracy is not null then board.run_id = board.leader or coalesce(groups.is_tied, false) end as is_tied_with_leader,
    case when board.accuracy is not null then 1 + coalesce(groups.n_better, 0) end as tie_group,
    board.ea_f1,
    coalesce(board.n_asked, 0) as n_questions,
    coalesce(board.n, 0) as n,
    coalesce(board.n_unscored, 0) as n_unscored,
    board.n_questions as n_questions_wanted,
    board.samples,
    costs.cost_usd,
    cast(costs.prompt_tokens as bigint) as prompt_tokens,
    cast(costs.completion_tokens as bigint) as completion_tokens
from board
left join groups on board.run_id = groups.run_id
left join costs on board.run_id = costs.run_id
order by board.family, board.snapshot_id, board.split, board.question_set, board.rank, board.run_id
