{# Clues are taken one after the other, each time the one that leaves the fewest entities: three chains, then, while more than one
   entity is left, up to three more, which may be values. A clue that identifies the entity alone would be a way around the
   others and is never taken. #}
{% set most = 6 %}
with taken_1 as (
    select
        *,
        n as n_left
    from {{ ref('clue_candidates') }} as shared
    where kind = 'chain'
    qualify row_number() over (partition by entity_id order by n, clue_id) = 1
),

left_1 as (
    select
        taken_1.entity_id,
        matches.entity_id as other_id
    from taken_1
    inner join {{ ref('clue_matches') }} as matches on taken_1.clue_id = matches.clue_id
)

{% for step in range(2, most + 1) -%}
    , taken_{{ step }} as (
        select
            shared.*,
            counted.n_left
        from (
            select
                offered.entity_id,
                offered.clue_id,
                any_value(offered.times_used) as times_used,
                count(*) as n_left
            from (
                select
                    shared.entity_id,
                    shared.clue_id,
                    0
                    {%- for earlier in range(1, step) %}
                        + (
                            select count(*)
                            from taken_{{ earlier }} as taken
                            where taken.entity_id = shared.entity_id and taken.mid_id = shared.mid_id
                        )
                    {%- endfor %} as times_used
                from {{ ref('clue_candidates') }} as shared
                {% if step <= 3 -%}
                    where shared.kind = 'chain'
                {%- else -%}
                    inner join taken_{{ step - 1 }} as before on shared.entity_id = before.entity_id and before.n_left > 1
                    where true
                {%- endif %}
                {% for earlier in range(1, step) -%}
                    and not exists (
                        select 1
                        from taken_{{ earlier }} as taken
                        where taken.entity_id = shared.entity_id
                            and (taken.about = shared.about or taken.end_id = shared.end_id or taken.clue_id = shared.clue_id)
                    )
                {% endfor %}
            ) as offered
            inner join left_{{ step - 1 }} as still on offered.entity_id = still.entity_id
            inner join {{ ref('clue_matches') }} as matches
                on offered.clue_id = matches.clue_id and still.other_id = matches.entity_id
            group by offered.entity_id, offered.clue_id
        ) as counted
        inner join {{ ref('clue_candidates') }} as shared on counted.entity_id = shared.entity_id and counted.clue_id = shared.clue_id
        qualify row_number() over (partition by shared.entity_id order by counted.n_left, counted.times_used, shared.clue_id) = 1
    ),

    left_{{ step }} as (
        select
            still.entity_id,
            still.other_id
        from left_{{ step - 1 }} as still
        inner join taken_{{ step }} as taken on still.entity_id = taken.entity_id
        inner join {{ ref('clue_matches') }} as matches
            on taken.clue_id = matches.clue_id and still.other_id = matches.entity_id
    )
{% endfor %}

{% for step in range(1, most + 1) -%}
    select
        entity_id,
        {{ step }} as place,
        clue_id,
        kind,
        about,
        mid_id,
        n,
        n_left
    from taken_{{ step }}
    {{ 'union all' if not loop.last }}
{% endfor %}
