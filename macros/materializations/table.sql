{#
  dbt-duckdb's way to write a table, cut down to what this project's tables need. A build makes a hundred tables of
  which most take milliseconds, and the swap of names, the backup and the look-ups of columns took as long as the rows.
#}

{#- One transaction: whoever fails leaves the table as it was. Needs neither a second name nor a backup. -#}
{% materialization table, adapter="duckdb" %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set target = this.incorporate(type="table") -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {% call statement("main") -%}
    {%- if existing is not none %}
      drop {{ existing.type }} if exists {{ existing }};
    {%- endif %}
    {{ create_table_as(False, target, compiled_code) }}
  {%- endcall %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {% do persist_docs(target, model) %}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({"relations": [target]}) }}
{% endmaterialization %}

{#- Every comment in one statement. Contracts are enforced, so a described column is there. -#}
{% macro duckdb__persist_docs(relation, model, for_relation=true, for_columns=true) %}
  {%- set comments = [] -%}
  {%- if for_relation and config.persist_relation_docs() and model.description %}
    {%- do comments.append("comment on " ~ relation.type ~ " " ~ relation ~ " is " ~ duckdb_escape_comment(model.description)) %}
  {%- endif %}
  {%- if for_columns and config.persist_column_docs() %}
    {%- for name, column in model.columns.items() if column.description %}
      {%- do comments.append("comment on column " ~ relation ~ "." ~ adapter.quote(name) ~ " is " ~ duckdb_escape_comment(column.description)) %}
    {%- endfor %}
  {%- endif %}
  {%- if comments %}
    {%- do run_query(comments | join(";\n")) %}
  {%- endif %}
{% endmacro %}
