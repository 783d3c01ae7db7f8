{% set ranked_entity = "{'num': facts.num, 'rounding': facts.rounding, 'entity_id': facts.entity_id}" %}
-- Each scope's values are put in order once, and everything else is read off the ordered list: a sum of doubles shows in
-- its last digits in which order it met them. Moments are taken around the mean, since powers of years alone would lose
-- every digit.
with gathered as (
    select
        members.scope_id,
        members.topic,
        facts.attribute,
        {{ sorted_numbers('facts.num') }} as nums,
        -- rounding and id take part in the order, so that equal numbers come out the same on every run
        max({{ ranked_entity }}, 2) as top,
        min({{ ranked_entity }}, 2) as bottom
    from {{ ref('scope_members') }} as members
    inner join {{ ref('entity_values') }} as facts
        on members.topic = facts.topic and members.entity_id = facts.entity_id
    where facts.num is not null and members.scope_attribute is distinct from facts.attribute
    group by members.scope_id, members.topic, facts.attribute
),

located as (
    select
        *,
        {{ of_numbers('mean', 'nums') }} as mean
    from gathered
)

select
    scope_id,
    topic,
    attribute,
    {{ of_numbers('count', 'nums') }} as n,
    {{ of_numbers('distinct', 'nums') }} as n_distinct,
    {{ of_numbers('lowest', 'nums') }} as lowest,
    {{ of_numbers('highest', 'nums') }} as highest,
    {{ of_numbers('sum', 'nums') }} as total,
    mean,
    {{ of_numbers('median', 'nums') }} as median,
    {{ central_moment('nums', 'mean', 2) }} as m2,
    {{ central_moment('nums', 'mean', 3) }} as m3,
    {{ central_moment('nums', 'mean', 4) }} as m4,
    top,
    bottom
from located
