{#- An aggregate: the map from each key of the group to a pair of numbers. -#}
{% macro map_of_pairs(key, first, second) -%}
    {{- adapter.dispatch('map_of_pairs', 'assay')(key, first, second) -}}
{%- endmacro %}

{% macro duckdb__map_of_pairs(key, first, second) -%}
    map_from_entries(list(struct_pack(k := {{ key }}, v := struct_pack(first := {{ first }}, second := {{ second }})) order by {{ key }}))
{%- endmacro %}

{#- 'first' or 'second' of the pair that such a map has for a text; NULL where it has none. -#}
{% macro map_pair(map, key, part) -%}
    {{- adapter.dispatch('map_pair', 'assay')(map, key, part) -}}
{%- endmacro %}

{% macro duckdb__map_pair(map, key, part) -%}
    {{ map }}['{{ key }}'].{{ part }}
{%- endmacro %}
