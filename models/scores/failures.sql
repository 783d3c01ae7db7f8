{# What was written is what the model itself said, thoughts and code; a page that it was shown holds numbers that it may never
   have used. An input counts as read to within half a percent, which is three digits, wherever the point stands. #}
with wrong as (
    select
        verdict.run_id,
        verdict.question_id,
        verdict.sample,
        answer.outcome,
        verdict.detail as said,
        verdict.entity_correct,
        {{ text_to_double(regex_group('verdict.detail', '^read (.*)$', 1)) }} as value,
        question.gold_value,
        least(question.tolerance, 0.005) as tolerance,
        question.n_entities * question.n_properties as n_wanted
    from {{ ref('verdicts') }} as verdict
    inner join {{ ref('answers') }} as answer
        on verdict.run_id = answer.run_id and verdict.question_id = answer.question_id and verdict.sample = answer.sample
    inner join {{ ref('runs') }} as run on verdict.run_id = run.run_id
    -- what an answer got wrong is told by the facts as they stand, so that questions of other data are left out
    inner join {{ ref('questions') }} as question
        on verdict.question_id = question.question_id and run.questions_snapshot_id = question.snapshot_id
    where verdict.scored and not verdict.correct and question.cci is not null
),

written as (
    select
        run_id,
        question_id,
        sample,
        {{ joined_rows("coalesce(thought, '') || ' ' || case when tool = 'python' then coalesce(cast(arguments as varchar), '') else '' end", ' ', 'number') }} as text,
        bool_or(tool = 'python' and kind = 'ran') as has_computed
    from {{ ref('steps') }}
    group by run_id, question_id, sample
),

hidden as (select question_id, {{ list_elements('entity_ids') }} as entity_id from {{ ref('research_minted') }}),

needed as (
    select question_id, {{ list_elements('attributes') }} as name
    from {{ ref('questions') }}
    where cci is not null
),

inputs as (
    select distinct
        hidden.question_id,
        given.entity_id,
        given.attribute,
        given.value_num,
        given.value_date
    from hidden
    inner join needed on hidden.question_id = needed.question_id
    inner join {{ ref('entity_attributes') }} as given
        on hidden.entity_id = given.entity_id and needed.name = given.topic || '.' || given.attribute
),

read_off as (
    select
        wrong.run_id,
        wrong.question_id,
        wrong.sample,
        bool_or(written.has_computed) as has_computed,
        count(inputs.attribute) as n_inputs,
        count(*) filter (
            where {{ has_date('written.text', 'inputs.value_date') }}
                or {{ has_number(numbers_in('written.text'), 'inputs.value_num', 0.005, 'inputs.value_num <> ' ~ round_significant('inputs.value_num', 2)) }}
        ) as n_read
    from wrong
    inner join written on wrong.run_id = written.run_id and wrong.question_id = written.question_id and wrong.sample = written.sample
    inner join inputs on wrong.question_id = inputs.question_id
    group by wrong.run_id, wrong.question_id, wrong.sample
),

measured as (
    select
        wrong.*,
        abs(wrong.value / nullif(wrong.gold_value, 0) - 1) as relative_error,
        {{ conversion('(wrong.value / nullif(wrong.gold_value, 0))', 'wrong.tolerance') }} as conversion,
        read_off.n_inputs,
        read_off.n_read,
        case
            when read_off.n_inputs = wrong.n_wanted and read_off.n_read = read_off.n_inputs then 'arithmetic'
            when read_off.n_inputs = wrong.n_wanted and read_off.has_computed then 'input'
            else 'undetermined'
        end as cause
    from wrong
    left join read_off
        on wrong.run_id = read_off.run_id and wrong.question_id = read_off.question_id and wrong.sample = read_off.sample
),

{{ classed_failures('measured') }}

select * from classed_failures order by run_id, question_id, sample
