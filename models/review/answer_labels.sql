select
    label.sheet_id,
    label.item,
    sheet.run_id,
    sheet.question_id,
    sheet.sample,
    label.annotator,
    label.annotator = 'third' as is_third,
    sheet.family,
    sheet.category,
    sheet.type,
    label.verdict,
    label.note,
    sheet.written_at,
    label.imported_at
from {{ ref('stg_review__labels') }} as label
inner join {{ ref('stg_review__sheets') }} as sheet on label.sheet_id = sheet.sheet_id and label.item = sheet.item
where sheet.kind = 'answers'
order by sheet.run_id, sheet.question_id, sheet.sample, label.sheet_id, label.annotator
