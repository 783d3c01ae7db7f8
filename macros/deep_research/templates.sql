{#- Every reasoning template, as dictionaries: one file of macros/deep_research/templates a domain, one entry a template. -#}
{% macro reasoning_templates() -%}
    {%- set found = [] -%}
    {%- for domain, entries in [
        ('geophysical', templates_geophysical()),
        ('financial', templates_financial()),
        ('biochemistry', templates_biochemistry()),
        ('history', templates_history()),
        ('security', templates_security()),
    ] -%}
        {%- for entry in entries -%}
            {%- set sides = ['a', 'b'] if entry.get('entities', 1) == 2 else ['a'] -%}
            {%- do found.append(dict(entry, domain=domain, sides=sides)) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{- return(found) -}}
{%- endmacro %}

{#- What a template's formula calls its inputs, and the column of each: [(name, side, input, column)]. The inputs of the first
    entity are i1 to i3, those of the second i4 to i6. -#}
{% macro formula_inputs(template) -%}
    {%- set found = [] -%}
    {%- for side in template.sides -%}
        {%- set before = 3 * loop.index0 -%}
        {%- for name in template.inputs -%}
            {%- do found.append((
                side ~ '_' ~ name if template.sides | length == 2 else name, side, name, 'i' ~ (before + loop.index)
            )) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{- return(found) -}}
{%- endmacro %}

{#- A template's formula as SQL over the columns of formula_inputs and its parameters p1 and p2. -#}
{% macro formula_over_columns(template) -%}
    {%- set columns = {} -%}
    {%- for name, _, _, column in formula_inputs(template) -%}
        {%- do columns.update({name: column}) -%}
    {%- endfor -%}
    {%- for name in template.get('parameters', {}) -%}
        {%- do columns.update({name: 'p' ~ loop.index}) -%}
    {%- endfor -%}
    {%- for name, constant in template.get('constants', {}).items() -%}
        {%- do columns.update({name: '(' ~ constant.value ~ '::double)'}) -%}
    {%- endfor -%}
    {%- set pattern = '\\b(' ~ columns.keys() | join('|') ~ ')\\b' -%}
    {%- set parts = [] -%}
    {%- for part in modules.re.split(pattern, template.formula) -%}
        {%- do parts.append(columns.get(part, part)) -%}
    {%- endfor -%}
    {{- return('(' ~ parts | join ~ ') / ' ~ template.get('scale', 1)) -}}
{%- endmacro %}

{#- One row per template, topic and input: what an entity must have to be asked about. -#}
{% macro template_needs() -%}
    {%- set rows = [] -%}
    {%- for template in reasoning_templates() -%}
        {%- for topic in template.topics -%}
            {%- for name, input in template.inputs.items() -%}
                {%- do rows.append({
                    'template_id': template.id,
                    'domain': template.domain,
                    'topic': topic,
                    'sides': template.sides | length,
                    'n_inputs': template.inputs | length,
                    'place': loop.index,
                    'attribute': input.attribute,
                    'least': input.get('min'),
                    'most': input.get('max'),
                    'same_time': template.get('same_time', false),
                    'is_order': name == template.get('order_by'),
                }) -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ literal_table(
        {
            'template_id': 'varchar',
            'domain': 'varchar',
            'topic': 'varchar',
            'sides': 'integer',
            'n_inputs': 'integer',
            'place': 'integer',
            'attribute': 'varchar',
            'least': 'double',
            'most': 'double',
            'same_time': 'boolean',
            'is_order': 'boolean',
        },
        rows,
    ) }}
{%- endmacro %}

{#- One of the values of a template's parameter, chosen by hash: a CASE over the templates, NULL where it has no such parameter. -#}
{% macro chosen_parameter(place, key) -%}
    case template_id
        {%- for template in reasoning_templates() if template.get('parameters', {}) | length >= place %}
            {%- set values = (template.parameters.values() | list)[place - 1] %}
            when '{{ template.id }}' then [{{ values | join(', ') }}][1 + cast(floor({{ hash_fraction(key ~ " || '/" ~ place ~ "'") }} * {{ values | length }}) as integer)]
        {%- endfor %}
    end
{%- endmacro %}

{#- The answer of a row with template_id, i1, i2, ... and p1, p2: a CASE over the templates. -#}
{% macro formula_answer() -%}
    case template_id
        {%- for template in reasoning_templates() %}
            when '{{ template.id }}' then {{ formula_over_columns(template) }}
        {%- endfor %}
    end
{%- endmacro %}
