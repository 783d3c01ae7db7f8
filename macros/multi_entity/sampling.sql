{# Sampling by hash: the same candidates on every machine, in every row order.

   cap(type, templates): how many candidates of one template a topic may have; vars.caps gives it by question type and the
   type's templates share it.
   draw(key, weight): a sort key for weighted sampling without replacement (Efraimidis and Spirakis 2006): the k smallest of
   -ln(u)/weight are a sample in which a heavier candidate is likelier. u comes from the md5 of the key, and the key itself
   decides between equal ones.
   coin(key): true for one half of all keys. #}

{% macro cap(type, templates) -%}
    {{ (var('caps')[type] / templates) | round(0, 'ceil') | int }}
{%- endmacro %}

{# A key of the draws; every fresh variant draws others. #}
{% macro fresh_key(key) -%}
    {%- if var('variant').startswith('fresh-') -%}
        '{{ var('variant') | replace('-', ' ') }}/' || {{ key }}
    {%- else -%}
        {{ key }}
    {%- endif -%}
{%- endmacro %}

{% macro draw(key, weight='1') -%}
    -ln(1 - {{ hash_fraction(fresh_key(key)) }}) / ({{ weight }}), {{ key }}
{%- endmacro %}

{% macro coin(key) -%}
    ({{ hash_fraction("'coin/' || " ~ key) }} < 0.5)
{%- endmacro %}
