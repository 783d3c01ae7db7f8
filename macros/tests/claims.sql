{#- Generic data tests, each used under a name that states the claim. They return the rows that break it. -#}

{#- `claim` is true of every row; unknown counts as broken. -#}
{% test every_row(model, claim) %}
select *
from {{ model }}
where ({{ claim }}) is not true
{% endtest %}

{#- No two rows agree in all of `columns`, NULL being equal to NULL. -#}
{% test unique_together(model, columns) %}
select
    {{ columns | join(', ') }},
    count(*) as occurrences
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}

{#- As many rows as another model. -#}
{% test same_number_of_rows(model, other) %}
select
    here.counted as rows_here,
    there.counted as rows_there
from (select count(*) as counted from {{ model }}) as here
cross join (select count(*) as counted from {{ other }}) as there
where here.counted != there.counted
{% endtest %}

{#- Of the current snapshot, as many rows as the closing rows of its topics count: no file is missing and none is foreign. -#}
{% test as_many_rows_as_were_landed(model, dataset) %}
select
    closed.counted as rows_landed,
    staged.counted as rows_staged
from (
    select sum(row_count) as counted
    from {{ of_current_snapshot('stg_wikidata__snapshots') }} as snapshots
    where dataset = '{{ dataset }}'
) as closed
cross join (
    select count(*) as counted
    from {{ model }}
    where snapshot_id = ({{ current_snapshot_id() }})
) as staged
where closed.counted != staged.counted
{% endtest %}

{#- Exactly the domains of `counts`, each with as many rows. -#}
{% test domains_have_topics(model, counts) %}
select
    wanted.domain as wanted_domain,
    found.domain as found_domain,
    wanted.counted as wanted,
    found.counted as found
from (
    {% for domain, counted in counts.items() -%}
    select '{{ domain }}' as domain, {{ counted }} as counted{{ ' union all' if not loop.last }}
    {% endfor -%}
) as wanted
full outer join (select domain, count(*) as counted from {{ model }} group by domain) as found
    on wanted.domain = found.domain
where wanted.counted is distinct from found.counted
{% endtest %}
