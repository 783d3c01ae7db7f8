select
    best.statement_id,
    best.subject_id as entity_id,
    best.property_id,
    agreement.topic,
    agreement.attribute,
    agreement.extractor,
    agreement.sentence,
    agreement.stated_value,
    agreement.stated_unit,
    trust.agreement,
    best.source_url,
    best.fetched_at
from {{ ref('best_values') }} as best
inner join {{ ref('text_agreement') }} as agreement on best.statement_id = agreement.statement_id
inner join {{ ref('text_trust') }} as trust
    on agreement.extractor = trust.extractor and agreement.property_id = trust.property_id
order by best.subject_id, best.property_id, best.statement_id
