{#- The Jonckheere-Terpstra test for ordered groups (Terpstra 1952; Jonckheere 1954) as SQL expressions over the sizes of its
    groups and of its ties; formulas: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, 2014,
    section 6.2, 6.13 (the statistic), 6.15 (its mean) and 6.19 (its variance with ties). -#}

{#- A query of the sums that the variance needs, over the sizes n of the groups of `cells` that share a value of `column`
    within a slice: of n, n squared, n (n - 1), n (n - 1)(n - 2) and n (n - 1)(2 n + 5). `slice` is a list of columns. -#}
{% macro size_sums(cells, slice, column) -%}
    select
        {{ slice }},
        count(*) as n_sizes,
        sum(n) as total,
        sum(n * n) as squares,
        sum(n * (n - 1)) as pairs,
        sum(n * (n - 1) * (n - 2)) as triples,
        sum(n * (n - 1) * (2 * n + 5)) as weights
    from (select {{ slice }}, sum(n) as n from {{ cells }} group by {{ slice }}, {{ column }}) as sized
    group by {{ slice }}
{%- endmacro %}

{#- Mean of the statistic where no group differs; `levels` is a relation with the columns of size_sums. -#}
{% macro jonckheere_expected(levels) -%}
    (({{ levels }}.total * {{ levels }}.total - {{ levels }}.squares) / 4)
{%- endmacro %}

{#- The statistic less its mean in standard deviations, without a correction for continuity; NULL without variation. -#}
{% macro jonckheere_z(j, levels, ties) -%}
    {%- set n = levels ~ '.total' -%}
    {%- set variance = '((' ~ n ~ ' * (' ~ n ~ ' - 1) * (2 * ' ~ n ~ ' + 5) - ' ~ levels ~ '.weights - ' ~ ties ~ '.weights) / 72'
        ~ ' + coalesce(' ~ levels ~ '.triples * ' ~ ties ~ '.triples / nullif(36 * ' ~ n ~ ' * (' ~ n ~ ' - 1) * (' ~ n ~ ' - 2), 0), 0)'
        ~ ' + coalesce(' ~ levels ~ '.pairs * ' ~ ties ~ '.pairs / nullif(8 * ' ~ n ~ ' * (' ~ n ~ ' - 1), 0), 0))' -%}
    (({{ j }} - {{ jonckheere_expected(levels) }}) / sqrt(nullif(greatest({{ round_significant(variance, 12) }}, 0), 0)))
{%- endmacro %}
