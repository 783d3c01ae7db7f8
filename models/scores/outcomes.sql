with calls as (
    select run_id, 'answer' as asked_for, outcome from {{ ref('answers') }}
    union all
    select run_id, 'table' as asked_for, outcome from {{ ref('tables') }}
),

kinds (position, outcome) as (
    values (1, 'answered'), (2, 'unparsed'), (3, 'refused'), (4, 'cut'), (5, 'failed')
),

asked as (select run_id, asked_for, count(*) as n_calls from calls group by run_id, asked_for)

select
    asked.run_id,
    asked.asked_for,
    kinds.outcome,
    count(calls.outcome) as n,
    cast(count(calls.outcome) as double) / asked.n_calls as share
from asked
cross join kinds
left join calls on asked.run_id = calls.run_id and asked.asked_for = calls.asked_for and kinds.outcome = calls.outcome
group by asked.run_id, asked.asked_for, asked.n_calls, kinds.position, kinds.outcome
order by asked.run_id, asked.asked_for, kinds.position
