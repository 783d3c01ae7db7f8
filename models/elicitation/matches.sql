{# Of one entity, the same property (or predicate) and the same object, word for word: nobody has to judge these. #}
select
    elicited.experiment_id,
    elicited.entity_id,
    elicited.triple_id,
    reference.triple_id as reference_id,
    reference.property_id
from {{ ref('triples') }} as elicited
inner join {{ ref('reference_triples') }} as reference
    on elicited.entity_id = reference.entity_id and elicited.object_words = reference.object_words
        and (
            elicited.predicate_words = reference.predicate_words
            or elicited.property_id = reference.property_id
        )
where elicited.object_words <> '' and not elicited.is_duplicate
order by elicited.experiment_id, elicited.triple_id, reference.triple_id
