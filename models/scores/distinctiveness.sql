{# Of a set that has changed since it was measured, and of other sizes of its sample, the newest measurement stands. #}
select
    set_name,
    is_own,
    measure,
    embedder,
    of_filter,
    seed,
    n,
    n_available,
    {{ round_significant('value', 12) }} as value,
    content_hash,
    measured_at
from {{ ref('stg_llm__distinctiveness') }}
qualify row_number() over (partition by set_name, measure, embedder, seed order by measured_at desc, distinct_id) = 1
order by is_own desc, set_name, measure, embedder, seed
