{% set verdicts = ['entity', 'clarity', 'gold', 'error_category'] %}
with counted as (
    select
        *,
        max(case when is_third then 1 else 0 end) over (partition by sheet_id, item) = 1 as has_third,
        sum(case when is_third then 0 else 1 end) over (partition by sheet_id, item) as n_annotators
    from {{ ref('labels') }}
),

-- where a third verdict was given it stands alone; else a verdict holds that all gave alike
voted as (
    select
        sheet_id,
        item,
        question_id,
        family,
        category,
        type,
        question,
        gold_answer,
        snapshot_id,
        written_at,
        n_annotators,
        has_third,
        {% for name in verdicts %}
        case when count(distinct coalesce({{ name }}, '')) = 1 then max({{ name }}) end as {{ name }},
        {% endfor %}
        greatest(
            {% for name in verdicts %}
            count(distinct coalesce({{ name }}, '')){{ ',' if not loop.last }}
            {% endfor %}
        ) > 1 as differs,
        case
            when count(is_valid) = count(*) and max(cast(is_valid as integer)) = min(cast(is_valid as integer))
                and (has_third or n_annotators > 1)
                then max(cast(is_valid as integer)) = 1
        end as is_valid,
        {{ list_agg_sorted('note') }} as notes
    from counted
    where is_third or not has_third
    group by
        sheet_id, item, question_id, family, category, type, question, gold_answer, snapshot_id, written_at, n_annotators, has_third
),

-- of several sheets the last on which it was decided
placed as (
    select
        *,
        row_number() over (
            partition by question_id
            order by case when is_valid is null then 1 else 0 end, written_at desc, sheet_id desc
        ) as place
    from voted
)

select
    question_id,
    sheet_id,
    item,
    family,
    category,
    type,
    cast(n_annotators as bigint) as n_annotators,
    case when is_valid is not null then case when has_third then 'adjudicated' else 'agreed' end end as decided_by,
    is_valid,
    entity,
    clarity,
    gold,
    error_category,
    not has_third and n_annotators > 1 and (differs or is_valid is null) as needs_third,
    notes,
    question,
    gold_answer,
    snapshot_id
from placed
where place = 1
order by question_id
