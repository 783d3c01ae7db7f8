select
    cast(sheet_id as varchar) as sheet_id,
    cast(annotator as varchar) as annotator,
    cast(item as varchar) as item,
    cast(entity as varchar) as entity,
    cast(clarity as varchar) as clarity,
    cast(gold as varchar) as gold,
    cast(error_category as varchar) as error_category,
    cast(verdict as varchar) as verdict,
    cast(note as varchar) as note,
    cast(imported_at as timestamp) as imported_at
from {{ source('landed_review', 'labels') }}
