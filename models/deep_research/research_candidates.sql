{# An entity is asked about with up to three templates: two about it alone and one that compares it with another one. Its clues
   give away none of the inputs. Pairs are neighbours in hash order, or in the order the template asks for. #}
with clued as (
    select entity_id
    from {{ ref('clue_sets') }}
    group by entity_id
    having count(*) filter (where kind = 'chain') >= 3
),

dealt as (
    select
        fits.*,
        row_number() over (
            partition by fits.entity_id, fits.sides order by {{ hash_fraction("fits.template_id || fits.entity_id") }}, fits.template_id
        ) as turn
    from {{ ref('research_fits') }} as fits
    inner join clued on fits.entity_id = clued.entity_id
),

placed as (
    select
        *,
        row_number() over (
            partition by template_id, topic, case when is_volatile then as_of end
            order by {{ hash_fraction("'pair/' || template_id || entity_id") }}, entity_id
        ) as place
    from dealt
    where sides = 2 and turn = 1
),

asked as (
    select
        template_id,
        domain,
        topic,
        entity_id as a_id,
        cast(null as varchar) as b_id,
        {% for place in range(1, 4) %}i{{ place }}, d{{ place }}, {% endfor %}
        {% for place in range(4, 7) %}cast(null as double) as i{{ place }}, cast(null as double) as d{{ place }}, {% endfor %}
        is_date,
        is_undated,
        as_of
    from dealt
    where sides = 1 and turn <= 2

    union all

    select
        one.template_id,
        one.domain,
        one.topic,
        one.entity_id,
        two.entity_id,
        {% for place in range(1, 4) %}one.i{{ place }}, one.d{{ place }}, {% endfor %}
        {% for place in range(1, 4) %}two.i{{ place }}, two.d{{ place }}, {% endfor %}
        one.is_date,
        one.is_undated or two.is_undated,
        one.as_of
    from placed as one
    inner join placed as two
        on one.template_id = two.template_id and one.topic = two.topic and one.as_of is not distinct from two.as_of
            and case
                when one.place % 2 = 1 then two.place = one.place + 1 and coalesce(one.ordered_by <= two.ordered_by, true)
                else two.place = one.place - 1 and one.ordered_by < two.ordered_by
            end
),

identified as (
    select
        *,
        {{ stable_id(["'deep_research'", 'template_id', 'topic', 'a_id', 'b_id']) }} as question_id
    from asked
),

ranked as (
    select
        *,
        row_number() over (partition by template_id, topic order by {{ hash_fraction('question_id') }}, question_id) as turn
    from identified
)

select
    * exclude (turn),
    {{ chosen_parameter(1, 'question_id') }} as p1,
    {{ chosen_parameter(2, 'question_id') }} as p2
from ranked
qualify row_number() over (partition by domain order by turn, question_id) <= {{ var('deep_research')['per_domain'] }}
