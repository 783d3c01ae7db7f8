{#- `tables`, a CTE with a row per run and question whose working table was asked for: means over its samples of precision, recall
    and F1 of the tuples, and their counts over all samples. -#}
{% macro table_scores() -%}
tables as (
    select
        run_id,
        question_id,
        avg({{ share_of('2 * matched', 'predicted + gold') }}) as f1,
        avg({{ share_of('matched', 'predicted') }}) as precision,
        avg({{ share_of('matched', 'gold') }}) as recall,
        sum(matched) as matched,
        sum(predicted) as predicted,
        sum(gold) as gold
    from (
        select
            run_id,
            question_id,
            case when outcome <> 'failed' then coalesce(n_matched, 0) end as matched,
            case when outcome <> 'failed' then coalesce(n_predicted, 0) end as predicted,
            case when outcome <> 'failed' then n_gold end as gold
        from {{ ref('tables') }}
    ) as asked
    group by run_id, question_id
)
{%- endmacro %}
