{# How each question is solved, from what it was minted from: nothing here is a model's word. #}
with asked as (
    select
        judged.*,
        {{ template_formula() }} as formula,
        {{ template_constants() }} as constants,
        {{ template_input_names() }} as names
    from {{ ref('research_judged') }} as judged
    where judged.reason is null
),

sides as (
    select question_id, topic, attributes, names, 1 as side, case when b_id is null then '' else 'a_' end as prefix, a_id as entity_id
    from asked
    union all
    select question_id, topic, attributes, names, 2 as side, 'b_' as prefix, b_id as entity_id from asked where b_id is not null
),

clues as (
    select
        sides.question_id,
        to_json({{ list_agg_ordered("{
            'side': sides.side, 'says': replace(texts.clause, '{it}', research.pronoun), 'kind': texts.kind, 'via': mid.label, 'end': last.label,
            'n_fit': texts.n, 'n_left': texts.n_left, 'links': [chains.first_path, chains.second_path], 'end_id': chains.end_id,
            'attribute': given.attribute, 'date_property_id': dates.property_id, 'of': given.kind, 'value': given.spoken
        }", 'sides.side, texts.place') }}) as clues
    from sides
    inner join {{ ref('clue_texts') }} as texts on sides.entity_id = texts.entity_id
    inner join {{ ref('research_entities') }} as research on sides.entity_id = research.entity_id and sides.topic = research.topic
    left join (select distinct entity_id, clue_id, first_path, second_path, end_id from {{ ref('chains') }}) as chains
        on texts.entity_id = chains.entity_id and texts.clue_id = chains.clue_id
    left join {{ ref('value_clues') }} as given on texts.entity_id = given.entity_id and texts.clue_id = given.clue_id
    left join {{ ref('attribute_meta') }} as meta on sides.topic = meta.topic and given.attribute = meta.attribute
    left join (select distinct property_id from {{ ref('best_values') }} where value_kind = 'time') as dates on meta.path = dates.property_id
    left join {{ ref('entities') }} as mid on texts.mid_id = mid.entity_id
    left join {{ ref('entities') }} as last on chains.end_id = last.entity_id
    group by sides.question_id
),

entities as (
    select
        sides.question_id,
        to_json({{ list_agg_ordered("{'side': sides.side, 'entity_id': sides.entity_id, 'label': entity.label}", 'sides.side') }}) as entities
    from sides
    inner join {{ ref('entities') }} as entity on sides.entity_id = entity.entity_id
    group by sides.question_id
),

inputs as (
    select
        question_id,
        side,
        entity_id,
        topic,
        {{ list_elements('attributes') }} as attribute,
        prefix || {{ list_elements('names') }} as name
    from sides
),

properties as (
    select
        inputs.question_id,
        to_json({{ list_agg_ordered("{
            'side': inputs.side, 'input': inputs.name, 'attribute': meta.attribute, 'phrase': meta.phrase, 'value': coalesce(known.value_num::varchar, known.value_date::varchar),
            'unit': meta.unit, 'as_of': known.as_of, 'property_id': meta.path, 'source': stated.source, 'source_url': stated.source_url,
            'fetched_at': stated.fetched_at
        }", 'inputs.side, meta.position') }}) as properties
    from inputs
    inner join {{ ref('attribute_meta') }} as meta on inputs.attribute = meta.topic || '.' || meta.attribute
    inner join {{ ref('entity_attributes') }} as known
        on inputs.topic = known.topic and inputs.entity_id = known.entity_id and meta.attribute = known.attribute
    inner join {{ ref('best_values') }} as stated on inputs.entity_id = stated.subject_id and meta.path = stated.property_id
    group by inputs.question_id
)

select
    asked.question_id,
    asked.domain,
    asked.topic,
    clues.clues,
    entities.entities,
    properties.properties,
    to_json({'formula': asked.formula, 'constants': asked.constants, 'given': asked.slots -> '$.given', 'gold_sql': asked.gold_sql}) as computation,
    to_json({'value': asked.answer, 'unit': asked.unit, 'tolerance': asked.tolerance}) as answer
from asked
inner join clues on asked.question_id = clues.question_id
inner join entities on asked.question_id = entities.question_id
inner join properties on asked.question_id = properties.question_id
