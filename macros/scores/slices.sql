{#- How answers are sliced: (slice_kind, SQL of the slice over `question` and `answer`). A NULL slice has no row.
    The three statistical types are judged by columns and method; their yes or no is a slice of its own. -#}
{% macro slice_kinds() -%}
    {%- set statistical = "question.type in ('distribution_compliance', 'correlation_analysis', 'variance_analysis')" -%}
    {{- return([
        ('overall', "'all'"),
        ('family', 'question.family'),
        ('category', 'question.category'),
        ('type', 'question.type'),
        ('density', 'question.density'),
        ('hops', "case when question.hops = 1 then 'one-hop' else 'multi-hop' end"),
        ('topic', 'question.topic'),
        ('split', 'question.split'),
        ('n_entities', "cast(question.n_entities as varchar)"),
        ('n_properties', "cast(question.n_properties as varchar)"),
        ('cci', canonical_number('question.cci')),
        ('domain_in_cci', "question.category || ', ' || " ~ canonical_number('question.cci')),
        ('truncation', "case when answer.truncated then 'truncated' when not answer.truncated then 'untruncated' end"),
        ('yes_no', "case when " ~ statistical ~ " then 'all' end"),
        ('yes_no', "case when " ~ statistical ~ " then question.type end"),
    ]) -}}
{%- endmacro %}

{#- That two relations' rows are of one slice of one run. -#}
{% macro same_slice(one, other) -%}
    {{ one }}.run_id = {{ other }}.run_id and {{ one }}.slice_kind = {{ other }}.slice_kind and {{ one }}.slice = {{ other }}.slice
{%- endmacro %}
