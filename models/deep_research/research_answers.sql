{# Each candidate is answered as it stands, with each input moved to either end of its precision, and with each moved by a tenth
   (a date by 400 days): the first gives the gold, the second what the sources' precision does to it, the third shows
   whether the answer hangs on every input. #}
with moved as (
    select
        candidates.*,
        moves.kind,
        moves.place,
        {% for place in range(1, 7) -%}
        i{{ place }} + case
            when moves.place <> {{ place }} then 0
            when moves.kind = 'up' then d{{ place }}
            when moves.kind = 'down' then -d{{ place }}
            when moves.kind = 'tenth' and is_date then 400
            when moves.kind = 'tenth' then 0.1 * i{{ place }}
            else 0
        end as moved_{{ place }},
        {% endfor -%}
    from {{ ref('research_candidates') }} as candidates
    cross join (
        select
            0 as place,
            'gold' as kind
        union all
        select
            places.place,
            kinds.kind
        from (values (1), (2), (3), (4), (5), (6)) as places (place)
        cross join (values ('up'), ('down'), ('tenth')) as kinds (kind)
    ) as moves
    where case moves.place {% for place in range(1, 7) %}when {{ place }} then i{{ place }} is not null {% endfor %}else true end
),

answered as (
    select
        question_id,
        kind,
        place,
        {{ formula_answer() }} as answer
    from (
        select
            question_id,
            template_id,
            kind,
            place,
            {% for place in range(1, 7) %}moved_{{ place }} as i{{ place }}, {% endfor %}
            p1,
            p2
        from moved
    ) as rows_to_answer
),

gold as (
    select
        question_id,
        answer
    from answered
    where kind = 'gold'
),

by_input as (
    select
        answered.question_id,
        answered.place,
        max(answered.answer) filter (where answered.kind in ('up', 'down'))
        - min(answered.answer) filter (where answered.kind in ('up', 'down')) as width,
        max(abs(answered.answer - gold.answer)) filter (where answered.kind = 'tenth') as response
    from answered
    inner join gold on answered.question_id = gold.question_id
    where answered.place > 0
    group by answered.question_id, answered.place
)

select
    gold.question_id,
    {{ round_significant('gold.answer', 12) }} as answer,
    sum(by_input.width) / 2 / abs(gold.answer) as spread,
    min(by_input.response) / abs(gold.answer) as least_response
from gold
inner join by_input on gold.question_id = by_input.question_id
where gold.answer <> 0
group by gold.question_id, gold.answer
