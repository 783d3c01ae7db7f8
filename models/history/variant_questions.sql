{# Of every question of a variant's build, those that the variant consists of. The base's own are in the history, since it is
   published before; a build that is no variant has none. #}
{% set fresh = variant_number('fresh') %}
with base as (
    select
        published.*,
        count(*) over (partition by published.topic, published.template_id, published.density) as n_wanted
    from {{ ref('stg_history__questions') }} as published
    where published.snapshot_id = (select any_value({{ base_of_snapshot('snapshot_id') }}) from {{ ref('questions') }})
),

compared as (
    select
        questions.question_id,
        questions.topic,
        questions.template_id,
        questions.density,
        base.question_id is not null as is_published,
        case
            when questions.gold_kind = 'number'
                then abs(questions.gold_value - base.gold_value) > base.tolerance * abs(base.gold_value)
            else questions.gold_answer <> base.gold_answer
        end as is_changed
    from {{ ref('questions') }} as questions
    left join base on questions.question_id = base.question_id
),

strata as (
    select distinct
        topic,
        template_id,
        density,
        n_wanted
    from base
),

drawn as (
    select
        compared.*,
        strata.n_wanted,
        row_number() over (
            partition by compared.topic, compared.template_id, compared.density
            order by {{ hash_fraction(fresh_key('compared.question_id')) }}, compared.question_id
        ) as turn
    from compared
    left join strata
        on compared.topic = strata.topic and compared.template_id = strata.template_id and compared.density = strata.density
    where {% if fresh %}not compared.is_published{% else %}compared.is_published and compared.is_changed{% endif %}
)

select
    question_id,
    topic,
    template_id,
    density
from drawn
where {% if fresh %}turn <= n_wanted{% else %}{{ variant_number('counterfactual') }} > 0{% endif %}

order by question_id
