{#- What the topics' yml files say, read from dbt's graph. The graph is there only while dbt executes; the models
    that use it therefore ref() each of vars.topics as well, so that dbt builds the topics first. -#}

{#- The nodes of the registered topics, in the order of vars.topics; [] while parsing. -#}
{% macro topic_models() -%}
    {%- set found = [] -%}
    {%- if execute -%}
        {%- for topic in var('topics', []) -%}
            {%- do found.append(graph.nodes['model.' ~ project_name ~ '.' ~ topic]) -%}
        {%- endfor -%}
    {%- endif -%}
    {{- return(found) -}}
{%- endmacro %}

{#- One mapping per attribute of a topic node: its column meta with every default filled in. -#}
{% macro attributes_of(node) -%}
    {%- set found = [] -%}
    {%- for column in node.columns.values() -%}
        {%- set meta = column.meta -%}
        {%- if meta.kind and meta.kind != 'as_of' -%}
            {%- set is_year = meta.kind == 'number' and column.name.endswith('_year') -%}
            {%- set words = adjective_words(meta.get('adjective', 'late' if is_year else 'high')) -%}
            {%- set phrase = meta.get('phrase', column.name | replace('_', ' ')) -%}
            {%- set as_of_column = column.name ~ '_as_of' -%}
            {%- do found.append({
                'topic': node.name,
                'attribute': column.name,
                'position': loop.index,
                'kind': meta.kind,
                'data_type': column.data_type | lower,
                'path': meta.get('path'),
                'hops': meta.get('hops', meta.get('path', '').count('/') + 1),
                'phrase': phrase,
                'phrase_plural': meta.get('phrase_plural', plural_of(phrase)),
                'article': meta.get('article', 'the'),
                'unit': meta.get('unit', 'year' if is_year else none),
                'more': words[0], 'most': words[1], 'less': words[2], 'least': words[3],
                'is_integer': meta.get('integer', is_year),
                'is_additive': meta.get('additive', false),
                'is_volatile': meta.get('volatile', false),
                'is_year': is_year,
                'is_multivalued': (column.data_type or '').endswith('[]'),
                'scope': meta.get('scope'),
                'scope_false': meta.get('scope_false'),
                'member': meta.get('member'),
                'shared': meta.get('shared'),
                'via': meta.get('via'),
                'tolerance': meta.get('tolerance'),
                'as_of_column': as_of_column if as_of_column in node.columns else none,
            }) -%}
        {%- endif -%}
    {%- endfor -%}
    {{- return(found) -}}
{%- endmacro %}

{#- Comparative and superlative upwards, then downwards. -#}
{% macro adjective_words(adjective) -%}
    {{- return({
        'high': ['higher', 'highest', 'lower', 'lowest'],
        'large': ['larger', 'largest', 'smaller', 'smallest'],
        'long': ['longer', 'longest', 'shorter', 'shortest'],
        'late': ['later', 'latest', 'earlier', 'earliest'],
        'great': ['greater', 'greatest', 'smaller', 'smallest'],
        'old': ['older', 'oldest', 'younger', 'youngest'],
    }.get(adjective, [none, none, none, none])) -}}
{%- endmacro %}

{#- The regular English plural ('years of birth'); an irregular one is given as phrase_plural. -#}
{% macro plural_of(phrase) -%}
    {%- set noun, of, rest = phrase.partition(' of ') -%}
    {%- if modules.re.search('[^aeiou]y$', noun) -%}
        {%- set plural = noun[:-1] ~ 'ies' -%}
    {%- elif modules.re.search('(s|x|z|ch|sh)$', noun) -%}
        {%- set plural = noun ~ 'es' -%}
    {%- else -%}
        {%- set plural = noun ~ 's' -%}
    {%- endif -%}
    {{- return(plural ~ of ~ rest) -}}
{%- endmacro %}

{#- One mapping per path that a topic consults: its properties, and two steps through a hop. decides: a filter of meta.source
    asks for it, so that a value there decides whether an entity belongs to the topic. -#}
{% macro consulted_paths(node) -%}
    {%- set source = node.config.meta.get('source', {}) -%}
    {%- set deciding = source.get('filters', []) | map(attribute='property') | list -%}
    {%- set found = [] -%}
    {%- for property in (source.get('properties', []) + source.get('hops', {}).keys() | list) | unique -%}
        {%- do found.append({'topic': node.name, 'path': property, 'decides': property in deciding}) -%}
    {%- endfor -%}
    {%- for first, seconds in source.get('hops', {}).items() -%}
        {%- for second in seconds -%}
            {%- do found.append({'topic': node.name, 'path': first ~ '/' ~ second, 'decides': false}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{- return(found) -}}
{%- endmacro %}
