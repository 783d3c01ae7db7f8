{#- Krippendorff's alpha for nominal labels (Krippendorff 2011, Computing Krippendorff's alpha-reliability, section C), over
    the items that have two labels or more: `labels` is how many labels these have, `disagreed` the sum over items of
    (m^2 - sum of squared counts) / (m - 1) for an item of m labels, `squares` the sum of the squared counts of each label.
    NULL where no two labels can be paired or all are one and the same, since then nothing could disagree. -#}
{% macro krippendorff_alpha(labels, disagreed, squares) -%}
    1 - (cast({{ labels }} as double) - 1) * ({{ disagreed }}) / nullif(cast({{ labels }} as double) * ({{ labels }}) - ({{ squares }}), 0)
{%- endmacro %}

{#- Cohen's kappa of two labellers (Cohen 1960, A coefficient of agreement for nominal scales) from `n` items, of which they
    label `agreed` alike; `expected` is the sum over labels of one's count times the other's. NULL where all have one label. -#}
{% macro cohen_kappa(n, agreed, expected) -%}
    (cast({{ agreed }} as double) * ({{ n }}) - ({{ expected }})) / nullif(cast({{ n }} as double) * ({{ n }}) - ({{ expected }}), 0)
{%- endmacro %}

{#- How reviews are sliced: (slice_kind, SQL of the slice). -#}
{% macro review_slices() -%}
    {{- return([('overall', "'all'"), ('family', 'family'), ('category', 'category'), ('type', 'type')]) -}}
{%- endmacro %}
