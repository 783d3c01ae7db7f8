select
    label.sheet_id,
    label.item,
    sheet.question_id,
    label.annotator,
    label.annotator = 'third' as is_third,
    sheet.family,
    sheet.category,
    sheet.type,
    label.entity,
    label.clarity,
    label.gold,
    case
        when label.entity = 'wrong' or label.clarity = 'unclear' or label.gold = 'wrong' then false
        when label.entity = 'right' and label.clarity = 'clear' and label.gold = 'right' then true
    end as is_valid,
    label.error_category,
    label.note,
    sheet.question,
    sheet.gold_answer,
    sheet.snapshot_id,
    sheet.written_at,
    label.imported_at
from {{ ref('stg_review__labels') }} as label
inner join {{ ref('stg_review__sheets') }} as sheet on label.sheet_id = sheet.sheet_id and label.item = sheet.item
where sheet.kind = 'questions'
order by sheet.question_id, label.sheet_id, label.annotator
