{# SQL text of the tests that several templates share: what a reader of a stored query sees. #}

{# F of y's values v over its groups g against the 5% point. x and y are the lines that define them. #}
{% macro f_test_text(x, y) -%}
    {{ sql_lines([
        x,
        y,
        "'groups as (select count(*) as n, sum(v) as total, var_pop(v) * count(*) as within from y group by g),'",
        "'test as (select (sum(total ** 2 / n) - sum(total) ** 2 / sum(n)) / (count(*) - 1) / (sum(within) / (sum(n) - count(*))) as f, count(*) - 1 as df1, sum(n) - count(*) as df2 from groups)'",
        "'-- F between the groups against its 5% point'",
        critical_value_text('f > critical', 'f', 'test.df1', 'test.df2'),
    ]) }}
{%- endmacro %}

{# Pearson's chi-squared of two categories, without continuity correction. #}
{% macro contingency_text(where, topic) -%}
    {{ sql_lines([
        "'with cells as (select ' || a.col || ' as a, ' || b.col || ' as b, count(*) as n from topics.' || " ~ topic ~ " || ' where ' || "
        ~ where ~ " || ' group by 1, 2),'",
        "'sizes as (select *, sum(n) over () as total, sum(n) over (partition by a) as in_row, sum(n) over (partition by b) as in_column from cells),'",
        "'test as (select max(total) * sum(n ** 2 / (in_row * in_column)) - max(total) as chi2, (count(distinct a) - 1) * (count(distinct b) - 1) as df from sizes)'",
        "'-- chi-squared of the table against its 5% point'",
        critical_value_text('chi2 > critical', 'chi2', 'test.df'),
    ]) }}
{%- endmacro %}
