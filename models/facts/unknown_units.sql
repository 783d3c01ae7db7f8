select
    statements.unit_id,
    statements.property_id,
    value_choices.reason,
    entities.label as unit_label,
    count(*) as statements,
    min(statements.statement_id) as example_statement_id
from {{ ref('statements') }} as statements
inner join {{ ref('value_choices') }} as value_choices on statements.statement_id = value_choices.statement_id
left join {{ ref('entities') }} as entities on statements.unit_id = entities.entity_id
where value_choices.reason in ('unknown_unit', 'wrong_dimension')
group by statements.unit_id, statements.property_id, value_choices.reason, entities.label
order by statements.property_id, statements.unit_id
