{#- The meta of one column of a topic: see models/topics/README.md for what each key means. -#}
{% macro check_attribute(node, column, file, found) -%}
    {%- set meta = column.meta -%}
    {%- set what = "the column " ~ column.name ~ " of " ~ node.name -%}
    {%- do check_keys(meta, [
        'kind', 'path', 'hops', 'phrase', 'phrase_plural', 'article', 'unit', 'adjective', 'integer', 'additive', 'volatile',
        'tolerance', 'scope', 'scope_false', 'member', 'shared', 'via',
    ], "the meta of " ~ what, file, found) -%}
    {%- set types = {
        'number': ['double'],
        'category': ['varchar', 'varchar[]'],
        'boolean': ['boolean'],
        'date': ['date'],
        'text': ['varchar', 'varchar[]'],
        'as_of': ['varchar'],
    } -%}
    {%- if meta.kind not in types -%}
        {%- do found.append("Unknown kind " ~ meta.kind ~ " of " ~ what ~ " (" ~ file ~ "): use one of "
            ~ types.keys() | join(', ') ~ ".") -%}
    {%- endif -%}
    {%- if meta.kind in types and (column.data_type or '') | lower not in types[meta.kind] -%}
        {%- do found.append("The data_type " ~ column.data_type ~ " of " ~ what ~ " (" ~ file
            ~ ") does not fit its kind " ~ meta.kind ~ ": use "
            ~ types[meta.kind] | join(' or ') ~ ".") -%}
    {%- endif -%}
    {%- if meta.kind == 'as_of' -%}
        {%- if not column.name.endswith('_as_of') or column.name[:-6] not in node.columns -%}
            {%- do found.append("No attribute belongs to " ~ what ~ " (" ~ file
                ~ "): name it <attribute>_as_of after the column whose date it is.") -%}
        {%- endif -%}
    {%- elif meta.kind in types -%}
        {%- do check_words(node, column, what, file, found) -%}
        {%- if meta.path -%}
            {%- do check_attribute_path(node, column, what, file, found) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}

{#- The words questions are made of. -#}
{% macro check_words(node, column, what, file, found) -%}
    {%- set meta = column.meta -%}
    {%- if meta.kind != 'text' and not meta.phrase -%}
        {%- do found.append("No phrase for " ~ what ~ " (" ~ file
            ~ "): add phrase, the noun phrase a question uses for it, without article.") -%}
    {%- endif -%}
    {%- if meta.adjective and not adjective_words(meta.adjective)[0] -%}
        {%- do found.append("Unknown adjective " ~ meta.adjective ~ " of " ~ what ~ " (" ~ file
            ~ "): use high, large, long, late, great or old.") -%}
    {%- endif -%}
    {%- if meta.article is defined and meta.article not in ['the', 'a', 'an', ''] -%}
        {%- do found.append("Unknown article " ~ meta.article ~ " of " ~ what ~ " (" ~ file
            ~ "): use the, a, an or ''.") -%}
    {%- endif -%}
    {%- set place = {'category': '{value}', 'number': '{century}'}.get(meta.kind) -%}
    {%- if meta.scope and place and place not in meta.scope -%}
        {%- do found.append("The scope of " ~ what ~ " (" ~ file ~ ") says no value: put " ~ place ~ " into it, as in "
            ~ ("'in {value}'" if meta.kind == 'category' else "'discovered in the {century}'") ~ ".") -%}
    {%- endif -%}
    {%- if meta.scope and (meta.kind in ['date', 'text'] or meta.kind == 'number' and not column.name.endswith('_year')) -%}
        {%- do found.append("The kind " ~ meta.kind ~ " of " ~ what ~ " (" ~ file
            ~ ") makes no scope: only categories, booleans and <x>_year columns do.") -%}
    {%- endif -%}
    {%- if meta.member and meta.kind == 'category' and '{value}' not in meta.member -%}
        {%- do found.append("The member of " ~ what ~ " (" ~ file
            ~ ") says no value: put {value} into it, as in 'are in {value}'.") -%}
    {%- endif -%}
    {%- if meta.via and meta.via not in node.columns -%}
        {%- do found.append("The via of " ~ what ~ " (" ~ file ~ ") names no column: " ~ meta.via
            ~ " is not among the columns of " ~ node.name
            ~ "; add it or correct the name.") -%}
    {%- endif -%}
{%- endmacro %}

{#- A property as a path writes it: Wikidata's (P2046), or a source's own (first:epss). -#}
{% macro property_pattern() -%}
    (?:P[0-9]+|[a-z]+:[a-z0-9-]+)
{%- endmacro %}

{% macro check_attribute_path(node, column, what, file, found) -%}
    {%- set meta = column.meta -%}
    {%- if not modules.re.fullmatch(property_pattern() ~ '(/' ~ property_pattern() ~ ')?', meta.path | string) -%}
        {%- do found.append("The path " ~ meta.path ~ " of " ~ what ~ " (" ~ file
            ~ ") is none: write a property such as P2046, or two as in P17/P1082.") -%}
    {%- endif -%}
    {%- if meta.hops is defined and meta.hops != meta.path.count('/') + 1 -%}
        {%- do found.append("The hops of " ~ what ~ " (" ~ file ~ ") are " ~ meta.hops ~ ", but its path "
            ~ meta.path ~ " has "
            ~ (meta.path.count('/') + 1) ~ ": remove hops, which is only for columns without a path.") -%}
    {%- endif -%}
    {%- do check_path(node, meta.path, file, found) -%}
{%- endmacro %}
