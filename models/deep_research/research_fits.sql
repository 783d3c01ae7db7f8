{# An entity fits a template when it has one value for each input, in the range in which the formula means something, and its clues
   give none of them away. #}
with needed as (
    {{ template_needs() }}
)

select
    needed.template_id,
    needed.domain,
    needed.topic,
    needed.sides,
    inputs.entity_id,
    {% for place in range(1, 4) -%}
    max(inputs.value) filter (where needed.place = {{ place }}) as i{{ place }},
    max(inputs.precision) filter (where needed.place = {{ place }}) as d{{ place }},
    {% endfor -%}
    max(inputs.value) filter (where needed.is_order) as ordered_by,
    bool_or(inputs.is_date) as is_date,
    bool_or(inputs.is_volatile) as is_volatile,
    bool_or(inputs.is_volatile and inputs.as_of is null) as is_undated,
    max(inputs.as_of) filter (where inputs.is_volatile) as as_of
from needed
inner join {{ ref('research_entities') }} as entity on needed.topic = entity.topic
inner join {{ ref('research_inputs') }} as inputs
    on entity.entity_id = inputs.entity_id and needed.topic = inputs.topic and needed.attribute = inputs.attribute
        and inputs.value >= coalesce(needed.least, inputs.value) and inputs.value <= coalesce(needed.most, inputs.value)
where not exists (
    select 1
    from {{ ref('clue_sets') }} as clues
    where clues.entity_id = entity.entity_id and clues.kind = 'value' and clues.about = needed.attribute
)
group by needed.template_id, needed.domain, needed.topic, needed.sides, inputs.entity_id, needed.n_inputs, needed.same_time
having count(*) = needed.n_inputs
    and (not needed.same_time or count(distinct inputs.as_of) filter (where inputs.is_volatile) <= 1)
