-- A candidate question is accepted or rejected, never both, and never neither.
select question_id
from (
    select question_id from {{ ref('questions') }} where family = 'multi_entity'
    union all
    select question_id from {{ ref('rejections') }} where family = 'multi_entity'
)
group by question_id
having count(*) > 1

union all

select minted.question_id
from {{ ref('minted') }} as minted
where minted.question_id not in (select question_id from {{ ref('questions') }})
    and minted.question_id not in (select question_id from {{ ref('rejections') }})
