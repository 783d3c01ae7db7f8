-- Two topics, one of which reaches the other's numbers by a hop, are never trained on and tested on apart.
select binding.*
from {{ ref('split_bindings') }} as binding
inner join {{ ref('splits') }} as one on binding.topic = one.topic
inner join {{ ref('splits') }} as other on binding.bound_topic = other.topic
where one.split <> other.split
