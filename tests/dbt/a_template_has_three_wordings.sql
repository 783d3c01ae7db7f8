-- Wordings are numbered from 1 without a gap, at least three for each template.
select template.template_id
from {{ ref('question_templates') }} as template
left join {{ ref('wordings') }} as wording on template.template_id = wording.template_id
group by template.template_id
having count(wording.wording_id) < 3
    or min(wording.wording_id) <> 1
    or max(wording.wording_id) <> count(distinct wording.wording_id)
