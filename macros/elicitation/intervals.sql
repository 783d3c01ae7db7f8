{#- 95% percentile bootstrap (Efron 1979) of ratios of sums over whole entities drawn with replacement, as CTEs to follow those
    of a model: what one says of an entity hangs together, so that single triples would claim too much certainty.

    cluster_interval: {{ keys }}, and low and high of precision, recall and f1.

    `sums` is a CTE of these keys, entity_id, and for each direction right and judged: one row per entity. A draw is the md5
    of 'replicate/draw', as in bootstrap_intervals, and takes places in the order of ids: two models asked about the same
    entities are drawn alike. -#}
{% macro cluster_intervals(sums, keys) -%}
clusters as (
    select
        {{ keys }},
        {{ list_in_order('precision_right', 'entity_id') }} as precision_right,
        {{ list_in_order('precision_judged', 'entity_id') }} as precision_judged,
        {{ list_in_order('recall_right', 'entity_id') }} as recall_right,
        {{ list_in_order('recall_judged', 'entity_id') }} as recall_judged,
        count(*) as size
    from {{ sums }}
    group by {{ keys }}
),

{{ places_drawn('clusters') }},

replicates as (
    select
        {{ keys }},
        {{ sum_at('precision_right', 'places') }} / nullif({{ sum_at('precision_judged', 'places') }}, 0) as p,
        {{ sum_at('recall_right', 'places') }} / nullif({{ sum_at('recall_judged', 'places') }}, 0) as r
    from clusters
    inner join drawn on clusters.size = drawn.size
),

cluster_interval as (
    select
        {{ keys }},
        {%- for name, value in [('precision', 'p'), ('recall', 'r'), ('f1', f1_of('p', 'r'))] %}
            {{ quantile(value, 0.025) }} as {{ name }}_low,
            {{ quantile(value, 0.975) }} as {{ name }}_high{{ ',' if not loop.last }}
        {%- endfor %}
    from replicates
    group by {{ keys }}
)
{%- endmacro %}

{#- Harmonic mean of precision and recall; 0 where both are 0, NULL where one is unknown. -#}
{% macro f1_of(p, r) -%}
    case when {{ p }} is not null and {{ r }} is not null then coalesce(2 * {{ p }} * {{ r }} / nullif({{ p }} + {{ r }}, 0), 0) end
{%- endmacro %}

{#- Share that is truly so, where a judge of this sensitivity and specificity says `share` (Rogan and Gladen 1978, Estimating
    prevalence from the results of a screening test). NULL where the judge is no better than chance. -#}
{% macro rogan_gladen(share, sensitivity, specificity) -%}
    case
        when {{ sensitivity }} + {{ specificity }} > 1
            then greatest(0, least(1, ({{ share }} + {{ specificity }} - 1) / ({{ sensitivity }} + {{ specificity }} - 1)))
    end
{%- endmacro %}

{#- End of its 95% interval (Lang and Reiczigel 2014, Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity, section 2.2): `n` judged, `positives` and `negatives` are the examples of either kind. -#}
{% macro lang_reiczigel(share, n, sensitivity, positives, specificity, negatives, sign) -%}
    {%- set z = 1.959963984540054 -%}
    {%- set p = '((' ~ n ~ ' * ' ~ share ~ ' + ' ~ z ** 2 / 2 ~ ') / (' ~ n ~ ' + ' ~ z ** 2 ~ '))' -%}
    {%- set se = '((' ~ positives ~ ' * ' ~ sensitivity ~ ' + 1) / (' ~ positives ~ ' + 2))' -%}
    {%- set sp = '((' ~ negatives ~ ' * ' ~ specificity ~ ' + 1) / (' ~ negatives ~ ' + 2))' -%}
    {%- set t = '((' ~ p ~ ' + ' ~ sp ~ ' - 1) / (' ~ se ~ ' + ' ~ sp ~ ' - 1))' -%}
    {%- set var_se = '(' ~ se ~ ' * (1 - ' ~ se ~ ') / (' ~ positives ~ ' + 2))' -%}
    {%- set var_sp = '(' ~ sp ~ ' * (1 - ' ~ sp ~ ') / (' ~ negatives ~ ' + 2))' -%}
    {%- set var_p = '(' ~ p ~ ' * (1 - ' ~ p ~ ') / (' ~ n ~ ' + ' ~ z ** 2 ~ '))' -%}
    case
        when {{ sensitivity }} + {{ specificity }} > 1
            then greatest(0, least(1,
                {{ t }} + {{ 2 * z ** 2 }} * ({{ t }} * {{ var_se }} - (1 - {{ t }}) * {{ var_sp }}) {{ sign }} {{ z }} * sqrt(
                    ({{ var_p }} + {{ t }} * {{ t }} * {{ var_se }} + (1 - {{ t }}) * (1 - {{ t }}) * {{ var_sp }})
                ) / ({{ se }} + {{ sp }} - 1)
            ))
    end
{%- endmacro %}

{#- Precision or recall from the sums of `summed`. -#}
{% macro ratio_of(direction) -%}
    cast(summed.{{ direction }}_right as double) / nullif(summed.{{ direction }}_judged, 0)
{%- endmacro %}

{#- End of its bootstrapped interval; Wilson's over the entities where all is right (the lower end), or nothing (the upper
    one): every draw is then the same, and would claim certainty. -#}
{% macro ratio_end(direction, sign) -%}
    {%- set entities = 'summed.' ~ direction ~ '_entities' -%}
    case
        when summed.{{ direction }}_judged = 0 then null
        when summed.{{ direction }}_right = {{ 'summed.' ~ direction ~ '_judged' if sign == '-' else '0' }}
            then {{ wilson(entities if sign == '-' else '0', entities, sign) }}
        else cluster_interval.{{ direction }}_{{ 'low' if sign == '-' else 'high' }}
    end
{%- endmacro %}
