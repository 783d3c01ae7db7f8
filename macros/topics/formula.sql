{#- DOUBLE: how many atoms of an element a Hill formula such as 'C2H6O' counts; 0 where there are none, NULL without a formula. -#}
{% macro atoms_in_formula(formula, symbol) -%}
    {%- set pattern = symbol ~ '([0-9]*)([A-Z]|$)' -%}
    case
        when {{ formula }} is null then null
        when {{ regex_matches(formula, pattern) }} then coalesce({{ text_to_double(regex_group(formula, pattern, 1)) }}, 1.0)
        else 0.0
    end
{%- endmacro %}

{#- 'solid', 'liquid' or 'gaseous' at a temperature, all three in the same unit; NULL where the two points don't tell. -#}
{% macro state_of_matter(melting_point, boiling_point, temperature) -%}
    case
        when {{ melting_point }} > {{ temperature }} then 'solid'
        when {{ boiling_point }} <= {{ temperature }} then 'gaseous'
        when {{ melting_point }} <= {{ temperature }} and {{ boiling_point }} > {{ temperature }} then 'liquid'
    end
{%- endmacro %}
