select
    stated.unit_id as from_unit,
    target.unit_id as to_unit,
    stated.factor / target.factor as factor,
    (stated.addend - target.addend) / target.factor as addend
from {{ ref('units') }} as stated
inner join {{ ref('units') }} as target on stated.dimension = target.dimension
order by stated.unit_id, target.unit_id
