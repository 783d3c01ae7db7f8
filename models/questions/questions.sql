select
    judged.question_id,
    'multi_entity' as family,
    judged.category,
    judged.type,
    judged.topic,
    judged.template_id,
    judged.wording_id,
    judged.question,
    judged.scope,
    judged.attributes,
    judged.operation,
    cast(judged.slots as json) as slots,
    hops.hops,
    cast(judged.entity_count as integer) as entity_count,
    case when judged.entity_count <= 10 then 'low' when judged.entity_count <= 100 then 'medium' else 'high' end as density,
    judged.gold_sql,
    judged.evidence_sql,
    judged.gold_kind,
    judged.gold_value,
    judged.gold_answer,
    case when judged.answer_entity_id is not null then [judged.answer_entity_id] end as gold_entity_ids,
    entity.aliases as gold_aliases,
    judged.gold_unit,
    cast(coalesce(judged.tolerance, 0) as double) as tolerance,
    judged.gold_columns,
    judged.gold_method,
    -- a test's statistic carries the order of its sums in the last digits
    case when judged.operation = 'test' then round(judged.margin, 6) else {{ digits12('judged.margin') }} end as margin,
    splits.split,
    cast(null as integer) as n_entities,
    cast(null as integer) as n_properties,
    cast(null as double) as cci,
    coalesce(fills.n_fills, 0) as n_fills,
    {{ snapshot_of_questions('snapshot.snapshot_id') }} as snapshot_id
from {{ ref('judged') }} as judged
inner join {{ ref('splits') }} as splits on judged.topic = splits.topic
inner join (
    select
        asked.question_id,
        max(catalog.hops) as hops
    from (select question_id, unnest(attributes) as name from {{ ref('judged') }}) as asked
    inner join {{ ref('catalog') }} as catalog on asked.name = catalog.topic || '.' || catalog.attribute
    group by asked.question_id
) as hops on judged.question_id = hops.question_id
left join {{ ref('entities') }} as entity on judged.answer_entity_id = entity.entity_id
left join (
    select
        question_id,
        cast(count(*) as integer) as n_fills
    from {{ ref('question_fills') }}
    group by question_id
) as fills on judged.question_id = fills.question_id
cross join (select snapshot_id from {{ ref('snapshots') }} where is_current limit 1) as snapshot
where judged.reason is null

union all

select
    judged.question_id,
    'deep_research' as family,
    judged.domain as category,
    judged.reasoning as type,
    judged.topic,
    judged.template_id,
    judged.wording_id,
    judged.question,
    null as scope,
    judged.attributes,
    'formula' as operation,
    judged.slots,
    2 as hops,
    judged.n_entities as entity_count,
    'low' as density,
    judged.gold_sql,
    judged.evidence_sql,
    'number' as gold_kind,
    judged.answer as gold_value,
    case
        when judged.is_exact then cast(cast(judged.answer as bigint) as varchar) else {{ canonical_number('judged.answer') }}
    end as gold_answer,
    null as gold_entity_ids,
    null as gold_aliases,
    judged.unit as gold_unit,
    judged.tolerance,
    null as gold_columns,
    null as gold_method,
    null as margin,
    splits.split,
    judged.n_entities,
    judged.n_properties,
    judged.n_entities + judged.n_properties as cci,
    -- its clues and inputs are what is recorded
    0 as n_fills,
    {{ snapshot_of_questions('snapshot.snapshot_id') }} as snapshot_id
from {{ ref('research_judged') }} as judged
inner join {{ ref('splits') }} as splits on judged.topic = splits.topic
cross join (select snapshot_id from {{ ref('snapshots') }} where is_current limit 1) as snapshot
where judged.reason is null
order by question_id
