with runs as (select run_id, cast(count(*) as double) as n_wrong from {{ ref('failures') }} group by run_id),

classes (place, class) as (
    values {% for class in failure_classes() %}({{ loop.index }}, '{{ class }}'){{ ', ' if not loop.last }}{% endfor %}
)

select
    runs.run_id,
    classes.class,
    count(failures.class) as n,
    count(failures.class) / runs.n_wrong as share
from runs
cross join classes
left join {{ ref('failures') }} as failures on runs.run_id = failures.run_id and classes.class = failures.class
group by runs.run_id, runs.n_wrong, classes.place, classes.class
order by runs.run_id, classes.place
