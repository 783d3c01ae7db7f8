{#- A CASE over the templates of a text that each has under `key`, as SQL text. -#}
{% macro template_text(key) -%}
    case template_id
        {%- for template in reasoning_templates() %}
            when '{{ template.id }}' then '{{ template[key] | replace("'", "''") }}'
        {%- endfor %}
    end
{%- endmacro %}

{#- The formula of a row's template with what it is divided by, as SQL text over its inputs. -#}
{% macro template_formula() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            when '{{ template.id }}' then '{{ template.formula if not template.get("scale") else "(" ~ template.formula ~ ") / " ~ template.scale }}'
        {%- endfor %}
    end
{%- endmacro %}

{#- VARCHAR[] of what the formula of a row's template calls the inputs of one entity, in the order of research_attributes. -#}
{% macro template_input_names() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            when '{{ template.id }}' then ['{{ template.inputs.keys() | join("', '") }}']
        {%- endfor %}
    end
{%- endmacro %}

{#- JSON of the constants of a row's template, each with its value, unit (pint) and source; NULL where it has none. -#}
{% macro template_constants() -%}
    cast(case template_id
        {%- for template in reasoning_templates() if template.get('constants') %}
            when '{{ template.id }}' then '{{ tojson(template.constants) | replace("'", "''") }}'
        {%- endfor %}
    end as json)
{%- endmacro %}

{#- A CASE over the templates that have a number under `key`. -#}
{% macro template_number(key) -%}
    cast(case template_id
        {%- for template in reasoning_templates() if template.get(key) is not none %}
            when '{{ template.id }}' then {{ template[key] }}
        {%- endfor %}
    end as double)
{%- endmacro %}

{#- Whether a template has `key` set. -#}
{% macro template_flag(key) -%}
    template_id in (''
        {%- for template in reasoning_templates() if template.get(key) -%}
            , '{{ template.id }}'
        {%- endfor -%}
    )
{%- endmacro %}

{#- The unit of a template's answer in words. -#}
{% macro template_unit() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            when '{{ template.id }}' then '{{ template.unit.words }}'
        {%- endfor %}
    end
{%- endmacro %}

{#- How many values the answer is made of: the inputs of each entity. -#}
{% macro template_properties() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            when '{{ template.id }}' then {{ template.inputs | length }}
        {%- endfor %}
    end
{%- endmacro %}

{#- The task of a row's template with its date and its parameters p1 and p2 filled in. -#}
{% macro filled_task() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            {%- set filled = namespace(sql="'" ~ template.ask | replace("'", "''") ~ "'") %}
            {%- for name in template.get('parameters', {}) %}
                {%- set filled.sql = "replace(" ~ filled.sql ~ ", '{" ~ name ~ "}', " ~ canonical_number('p' ~ loop.index) ~ ")" %}
            {%- endfor %}
            when '{{ template.id }}' then replace({{ filled.sql }}, '{as_of}', coalesce(' as of ' || as_of, ''))
        {%- endfor %}
    end
{%- endmacro %}

{#- How a query reads an input of the topic's table: a date is the number of its day, counted from 1 January 1970. -#}
{% macro input_read(input, subject) -%}
    {%- set chosen = "max(" ~ input.attribute ~ ") filter (where entity_id = ' || " ~ sql_literal(subject) ~ " || ')" -%}
    {%- if input.pint == 'day' -%}
        date_diff(''day'', date ''1970-01-01'', {{ chosen }})
    {%- else -%}
        {{- chosen -}}
    {%- endif -%}
{%- endmacro %}

{#- The query, as text, that gives a row's answer: inputs, constants and what the question gives, then the formula. -#}
{% macro research_gold_sql() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            {%- set tables = ['inputs'] %}
            when '{{ template.id }}' then
                'with inputs as (' || chr(10) || '    select'
                {%- for name, side, input, _ in formula_inputs(template) %}
                    || chr(10) || '        {{ input_read(template.inputs[input], side ~ "_id") }} as {{ name }}{{ ',' if not loop.last }}'
                {%- endfor %}
                || chr(10) || '    from topics.' || topic || chr(10) || ')'
                {%- if template.get('constants') %}
                    {%- do tables.append('constants') %}
                    || ',' || chr(10) || 'constants as (select
                    {%- for name, constant in template.constants.items() %} {{ constant.value }}::double as {{ name }}{{ ',' if not loop.last }}{% endfor %})'
                {%- endif %}
                {%- if template.get('parameters') %}
                    {%- do tables.append('given') %}
                    || ',' || chr(10) || 'given as (select '
                    {%- for name in template.parameters %}
                        || {{ canonical_number('p' ~ loop.index) }} || '::double as {{ name }}{{ ', ' if not loop.last }}'
                    {%- endfor %}
                    || ')'
                {%- endif %}
                || chr(10) || 'select {{ template.formula if not template.get("scale") else "(" ~ template.formula ~ ") / " ~ template.scale }} as answer' || chr(10)
                || 'from {{ tables | join(", ") }}'
        {%- endfor %}
    end
{%- endmacro %}

{#- The query, as text, that lists every input of a row's answer with its source. -#}
{% macro research_evidence_sql() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            when '{{ template.id }}' then ''
                {%- for name, side, input, _ in formula_inputs(template) %}
                    {%- set read = template.inputs[input] %}
                    {{- " || chr(10) || 'union all' || chr(10)" if not loop.first }}
                    || 'select t.entity_id, t.label as entity, ''{{ read.attribute }}'' as attribute, cast(t.{{ read.attribute }} as varchar) as value, s.source, s.source_url, s.fetched_at' || chr(10)
                    || 'from topics.' || topic || ' as t join facts.best_values as s on t.entity_id = s.subject_id and s.property_id = ''{{ read.property }}''' || chr(10)
                    || 'where t.entity_id = ' || {{ sql_literal(side ~ '_id') }}
                {%- endfor %}
        {%- endfor %}
    end
{%- endmacro %}

{#- VARCHAR[] of 'topic.attribute' for the inputs of a row's template. -#}
{% macro research_attributes() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            when '{{ template.id }}' then [
                {%- for input in template.inputs.values() %}topic || '.{{ input.attribute }}'{{ ', ' if not loop.last }}{% endfor -%}
            ]
        {%- endfor %}
    end
{%- endmacro %}

{#- JSON of what a row's question is made of: its entities, and the parameters that its text gives. -#}
{% macro research_slots() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            {%- set given = namespace(pairs=[]) %}
            {%- for name in template.get('parameters', {}) %}
                {%- do given.pairs.append("'" ~ name ~ "', p" ~ loop.index) %}
            {%- endfor %}
            when '{{ template.id }}' then json_object('entity_ids', {{ '[a_id, b_id]' if template.sides | length == 2 else '[a_id]' }}
                {%- if given.pairs %}, 'given', json_object({{ given.pairs | join(', ') }}){% endif %})
        {%- endfor %}
    end
{%- endmacro %}
