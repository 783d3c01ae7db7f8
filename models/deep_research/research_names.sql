{# Label, aliases, and each word of a label that is long and that few labels of the warehouse share. #}
with labels as (
    select
        entity_id,
        {{ list_elements(split_words(plain_words('label'))) }} as word
    from {{ ref('entities') }}
    where label is not null
),

shared as (
    select word
    from labels
    group by word
    having count(distinct entity_id) >= 20
)

select
    entity_id,
    label as name
from {{ ref('research_entities') }}

union

select
    entity_id,
    alias as name
from (
    select
        entity_id,
        {{ list_elements('aliases') }} as alias
    from {{ ref('research_entities') }}
)
where length(alias) >= 4

union

select
    labels.entity_id,
    labels.word as name
from labels
inner join {{ ref('research_entities') }} as entity on labels.entity_id = entity.entity_id
where length(labels.word) >= 5 and labels.word not in (select word from shared)
