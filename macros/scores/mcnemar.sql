{#- Natural logarithm of the probability that of `n` discordant questions exactly `k` fall to one side: C(n, k) / 2^n. -#}
{% macro log_binomial_half(n, k) -%}
    ({{ log_gamma(n ~ ' + 1') }} - {{ log_gamma(k ~ ' + 1') }} - {{ log_gamma(n ~ ' - ' ~ k ~ ' + 1') }} - ({{ n }}) * ln(2.0::double))
{%- endmacro %}
