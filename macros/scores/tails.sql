{#- Tails of distributions as SQL expressions, in double precision however small they are; tests compare them with scipy. -#}

{#- P(Z >= z) of the standard normal distribution, for z of any sign: the series of 26.2.10 below 1.5 and the continued
    fraction of 26.2.14 above (Abramowitz and Stegun, Handbook of Mathematical Functions, 1964). -#}
{% macro normal_upper(z) -%}
    {%- set x = 'abs(' ~ z ~ ')' -%}
    {%- set density = '(exp(-' ~ x ~ ' * ' ~ x ~ ' / 2) / sqrt(2 * pi()))' -%}
    {%- set near = '(0.5 - ' ~ series_sum(
        40, 'power(-0.5, k) * power(' ~ x ~ ', 2 * k + 1) / ((2 * k + 1) * exp(' ~ log_gamma('k + 1') ~ '))'
    ) ~ ' / sqrt(2 * pi()))' -%}
    {%- set far = '(' ~ density ~ ' / ' ~ continued_fraction(200, x ~ ' + level / below', x) ~ ')' -%}
    (case
        when {{ z }} is null then null
        when {{ z }} < -1.5 then 1 - {{ far }}
        when {{ z }} < 0 then 1 - {{ near }}
        when {{ z }} <= 1.5 then {{ near }}
        else {{ far }}
    end)
{%- endmacro %}

{#- I_x(a, b), the regularized incomplete beta function for 0 < x < (a + 1) / (a + b + 2), where the continued fraction of
    8.17.22 converges within a few hundred levels (NIST Digital Library of Mathematical Functions, release 1.2). -#}
{% macro beta_share(x, a, b) -%}
    {%- set m = 'floor(level / 2)' -%}
    {%- set odd = '-(' ~ a ~ ' + ' ~ m ~ ') * (' ~ a ~ ' + ' ~ b ~ ' + ' ~ m ~ ') * ' ~ x
        ~ ' / ((' ~ a ~ ' + 2 * ' ~ m ~ ') * (' ~ a ~ ' + 2 * ' ~ m ~ ' + 1))' -%}
    {%- set even = m ~ ' * (' ~ b ~ ' - ' ~ m ~ ') * ' ~ x
        ~ ' / ((' ~ a ~ ' + 2 * ' ~ m ~ ' - 1) * (' ~ a ~ ' + 2 * ' ~ m ~ '))' -%}
    (exp(
        {{ a }} * ln({{ x }}) + {{ b }} * ln(1 - {{ x }}) - ln({{ a }})
        + {{ log_gamma(a ~ ' + ' ~ b) }} - {{ log_gamma(a) }} - {{ log_gamma(b) }}
    ) / {{ continued_fraction(
        400, '1 + (case when level % 2 = 1 then ' ~ odd ~ ' else ' ~ even ~ ' end) / below', 1
    ) }})
{%- endmacro %}

{#- Two-sided p-value of a correlation coefficient `r` of `n` pairs, Student's t with n - 2 degrees of freedom, which is
    I_(1 - r * r)((n - 2) / 2, 1 / 2) (26.5.27 and 26.7.1 of Abramowitz and Stegun). NULL for fewer than three pairs. -#}
{% macro correlation_p(r, n) -%}
    {%- set half = '((' ~ n ~ ' - 2) / 2.0::double)' -%}
    {%- set square = '(' ~ r ~ ' * ' ~ r ~ ')' -%}
    (case
        when {{ r }} is null or {{ n }} < 3 then null
        when {{ square }} >= 1 then 0.0
        when {{ square }} = 0 then 1.0
        when 1 - {{ square }} < ({{ half }} + 1) / ({{ half }} + 2.5)
            then {{ beta_share('(1 - ' ~ square ~ ')', half, '0.5::double') }}
        else 1 - {{ beta_share(square, '0.5::double', half) }}
    end)
{%- endmacro %}
