{#- Hashes come from md5, never from the engine's own hash(): that one may change with a release or a machine. -#}

{% macro hash_fraction(expr) -%}
    {{- adapter.dispatch('hash_fraction', 'assay')(expr) -}}
{%- endmacro %}

{#- DOUBLE in [0, 1): 52 bits of the md5, which a double holds exactly. NULL for NULL. -#}
{% macro duckdb__hash_fraction(expr) -%}
    (cast('0x' || substr(md5(cast({{ expr }} as varchar)), 1, 13) as bigint) / 4503599627370496.0::double)
{%- endmacro %}

{#- VARCHAR, 16 hex digits of the md5 of the values, which may be NULL. `exprs` is one expression or a list of them. -#}
{% macro stable_id(exprs) -%}
    {{- adapter.dispatch('stable_id', 'assay')([exprs] if exprs is string else exprs) -}}
{%- endmacro %}

{#- Control characters as separator and as NULL, so that ('a', 'b') and ('ab', '') differ, and so do '' and NULL. -#}
{% macro duckdb__stable_id(exprs) -%}
    substr(md5(
        {%- for expr in exprs -%}
            {%- if not loop.first %} || chr(31) || {% endif -%}
            coalesce(cast({{ expr }} as varchar), chr(30))
        {%- endfor -%}
    ), 1, 16)
{%- endmacro %}

{#- VARCHAR, the SHA-256 of a group's texts in the order of `by`, a line each: what Python makes of "\n".join(texts). -#}
{% macro digest_of_rows(expr, by) -%}
    {{- adapter.dispatch('digest_of_rows', 'assay')(expr, by) -}}
{%- endmacro %}

{% macro duckdb__digest_of_rows(expr, by) -%}
    sha256(string_agg({{ expr }}, chr(10) order by {{ by }}))
{%- endmacro %}
