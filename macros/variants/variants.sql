{#- Variants of a snapshot: the same landed facts, questions drawn with another seed (fresh), or numbers and dates changed within
    their range (counterfactual). vars.variant names one, as 'fresh-1' or 'counterfactual-1'; empty for the facts as they are. -#}

{#- The number of a variant of one kind, 0 where none of this kind is built. -#}
{% macro variant_number(kind) -%}
    {%- set name, _, number = var('variant').partition('-') -%}
    {{- return(number | int if name == kind else 0) -}}
{%- endmacro %}

{#- The id of the snapshot that questions are from: a variant's stands after a +. -#}
{% macro snapshot_of_questions(snapshot_id) -%}
    {%- if var('variant') -%}
        {{ snapshot_id }} || '+{{ var('variant') }}'
    {%- else -%}
        {{ snapshot_id }}
    {%- endif -%}
{%- endmacro %}

{% macro base_of_snapshot(snapshot_id) -%}
    split_part({{ snapshot_id }}, '+', 1)
{%- endmacro %}

{% macro variant_of_snapshot(snapshot_id) -%}
    nullif(split_part({{ snapshot_id }}, '+', 2), '')
{%- endmacro %}
