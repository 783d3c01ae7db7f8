{# Every candidate question of the family, worded, before it is judged. #}
{% set templates = [
    'intercomparisons_of_entities', 'intercomparisons_of_groups', 'superlative_entities', 'superlative_categories',
    'aggregations_of_numbers', 'aggregations_of_categories', 'aggregations_of_distributions', 'distribution_normality',
    'distribution_uniformity', 'correlations', 'variances', 'associations', 'shared_values', 'hypotheticals_of_entities',
    'hypotheticals_of_groups',
] %}
with candidates as (
    {{ union_by_name(templates) }}
),

identified as (
    select
        candidates.* exclude (operation, attributes),
        {{ stable_id(["'multi_entity'", 'candidates.template_id', 'candidates.scope_id', 'coalesce(candidates.id_slots, cast(candidates.slots as varchar))']) }}
        as question_id,
        template.category,
        template.type,
        coalesce(candidates.operation, template.operation) as operation,
        candidates.attributes as own_attributes,
        scope.scope_attribute,
        case when candidates.named_ids is null and scope.scope_attribute is not null then scope.things end as scope,
        scope.n_members as scope_members,
        scope.is_twin and candidates.named_ids is null as is_twin,
        list_transform(
            list_sort(list_distinct(list_filter(list_append(candidates.attributes, scope.scope_attribute), lambda a: a is not null))),
            lambda a: candidates.topic || '.' || a
        ) as attributes
    from candidates
    inner join {{ ref('question_templates') }} as template on candidates.template_id = template.template_id
    inner join {{ ref('scopes') }} as scope on candidates.scope_id = scope.scope_id
),

counted as (
    select
        template_id,
        count(*) as n_wordings
    from {{ ref('wordings') }}
    group by template_id
)

select
    identified.* exclude (words, gold_boolean, gold_text, gold_kind, gold_unit, id_slots),
    wording.template_id || '/' || wording.wording_id as wording_id,
    {{ render('wording.wording', 'identified.words') }} as question,
    coalesce(identified.gold_kind, 'boolean') as gold_kind,
    identified.gold_unit,
    case
        when identified.gold_boolean is not null then case when identified.gold_boolean then 'yes' else 'no' end
        when identified.gold_kind = 'number' and identified.tolerance = 0
            then cast(cast(identified.gold_value as bigint) as varchar)
        when identified.gold_kind = 'number' then {{ canonical_number('identified.gold_value') }}
        else identified.gold_text
    end as gold_answer
from identified
inner join counted on identified.template_id = counted.template_id
inner join {{ ref('wordings') }} as wording
    on identified.template_id = wording.template_id
    and wording.wording_id = 1 + cast(floor({{ hash_fraction('identified.question_id') }} * counted.n_wordings) as integer)
