{# Test statistics as SQL expressions over moments and counts. Formulas: scipy.stats 1.1x documentation and the papers named
   there; tests compare each with scipy on every question. Level 0.05 throughout. #}

{# A row of the table of critical values. Degrees of freedom between two rows use the lower one: at most 0.2% off, where a
   question needs 5%. #}
{% macro critical_value(distribution, df1, df2='0') -%}
    (
        select arg_max(c.critical, c.df2)
        from {{ ref('critical_values') }} as c
        where c.distribution = '{{ distribution }}' and c.df1 = {{ df1 }} and c.df2 <= {{ df2 }}
    )
{%- endmacro %}

{# The same as SQL text for a stored query: its last line, which compares its row `test` with the `critical` point. #}
{% macro critical_value_text(verdict, distribution, df1, df2=none) -%}
    'select {{ verdict }} as answer from test {% if df2 %}asof {% endif %}join questions.critical_values as c on c.distribution = ''{{ distribution }}'' and c.df1 = {{ df1 }}{% if df2 %} and c.df2 <= {{ df2 }}{% endif %}'
{%- endmacro %}

{% macro skew(m2, m3) -%}({{ m3 }} / power({{ m2 }}, 1.5)){%- endmacro %}
{% macro excess_kurtosis(m2, m4) -%}({{ m4 }} / power({{ m2 }}, 2) - 3){%- endmacro %}

{# Jarque and Bera 1980; chi-squared with 2 degrees of freedom. #}
{% macro jarque_bera(n, m2, m3, m4) -%}
    ({{ n }} / 6.0 * (power({{ skew(m2, m3) }}, 2) + power({{ excess_kurtosis(m2, m4) }}, 2) / 4))
{%- endmacro %}

{# D'Agostino 1970: the z score of a sample skewness (scipy.stats.skewtest). #}
{% macro skewness_z(n, skewness) -%}
    {%- set beta2 = '(3.0 * (' ~ n ~ ' * ' ~ n ~ ' + 27 * ' ~ n ~ ' - 70) * (' ~ n ~ ' + 1) * (' ~ n ~ ' + 3) / ((' ~ n
        ~ ' - 2.0) * (' ~ n ~ ' + 5) * (' ~ n ~ ' + 7) * (' ~ n ~ ' + 9)))' -%}
    {%- set w2 = '(-1 + sqrt(2 * (' ~ beta2 ~ ' - 1)))' -%}
    {%- set y = '(' ~ skewness ~ ' * sqrt((' ~ n ~ ' + 1.0) * (' ~ n ~ ' + 3) / (6.0 * (' ~ n ~ ' - 2))))' -%}
    {%- set alpha = 'sqrt(2 / (' ~ w2 ~ ' - 1))' -%}
    (1 / sqrt(0.5 * ln({{ w2 }})) * asinh({{ y }} / {{ alpha }}))
{%- endmacro %}

{# Anscombe and Glynn 1983: the z score of a sample kurtosis (scipy.stats.kurtosistest). #}
{% macro kurtosis_z(n, excess) -%}
    {%- set nd = 'cast(' ~ n ~ ' as double)' -%}
    {%- set mean = '(3 * (' ~ nd ~ ' - 1) / (' ~ nd ~ ' + 1))' -%}
    {%- set variance = '(24 * ' ~ nd ~ ' * (' ~ nd ~ ' - 2) * (' ~ nd ~ ' - 3) / (power(' ~ nd ~ ' + 1, 2) * (' ~ nd ~ ' + 3) * (' ~ nd ~ ' + 5)))' -%}
    {%- set x = '((' ~ excess ~ ' + 3 - ' ~ mean ~ ') / sqrt(' ~ variance ~ '))' -%}
    {%- set root_beta1 = '(6 * (' ~ nd ~ ' * ' ~ nd ~ ' - 5 * ' ~ nd ~ ' + 2) / ((' ~ nd ~ ' + 7) * (' ~ nd ~ ' + 9)) * sqrt(6 * ('
        ~ nd ~ ' + 3) * (' ~ nd ~ ' + 5) / (' ~ nd ~ ' * (' ~ nd ~ ' - 2) * (' ~ nd ~ ' - 3))))' -%}
    {%- set a = '(6 + 8 / ' ~ root_beta1 ~ ' * (2 / ' ~ root_beta1 ~ ' + sqrt(1 + 4 / power(' ~ root_beta1 ~ ', 2))))' -%}
    {%- set denominator = '(1 + ' ~ x ~ ' * sqrt(2 / (' ~ a ~ ' - 4)))' -%}
    (
        (1 - 2 / (9 * {{ a }}) - sign({{ denominator }}) * cbrt((1 - 2 / {{ a }}) / abs({{ denominator }})))
        / sqrt(2 / (9 * {{ a }}))
    )
{%- endmacro %}

{# D'Agostino and Pearson 1973 (scipy.stats.normaltest); chi-squared with 2 degrees of freedom. #}
{% macro normaltest(n, m2, m3, m4) -%}
    (
        power({{ skewness_z(n, skew(m2, m3)) }}, 2)
        + power({{ kurtosis_z(n, excess_kurtosis(m2, m4)) }}, 2)
    )
{%- endmacro %}

{# t of a correlation coefficient; Student's t with n - 2 degrees of freedom. #}
{% macro correlation_t(r, n) -%}
    (abs({{ r }}) * sqrt(({{ n }} - 2) / greatest(1 - {{ r }} * {{ r }}, 1e-15)))
{%- endmacro %}

{# Average rank of a value among its partition: ties share the mean of their places. #}
{% macro average_rank(value, partition) -%}
    (
        rank() over (partition by {{ partition }} order by {{ value }})
        + (count(*) over (partition by {{ partition }}, {{ value }}) - 1) / 2.0
    )
{%- endmacro %}

{# Distance of a test from flipping. #}
{% macro test_margin(statistic, critical) -%}
    abs({{ statistic }} / {{ critical }} - 1)
{%- endmacro %}
