-- A gold query of the test side is none of the training side.
select gold_sql
from {{ ref('questions') }}
group by gold_sql
having count(distinct split) > 1
