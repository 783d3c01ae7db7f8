{#- Reads every topic's yml before the first model runs, and stops when there is a mistake: one sentence a topic, saying
    what is wrong, where, and how to mend it. Without this a mistake would show up late, as an empty column or an odd question.
    The macros below append what they find to `found`; a topic's first mistake is the one reported, since others may follow from it. -#}
{% macro check_topics() -%}
    {%- if execute -%}
        {%- set registered = var('topics', []) -%}
        {%- set mistakes = [] -%}
        {#- Seeds are loaded later than this runs. -#}
        {%- set seed = graph.nodes['seed.' ~ project_name ~ '.units'] -%}
        {%- set units = csv_column(seed.root_path ~ '/' ~ seed.original_file_path, 'unit_id') -%}
        {%- for node in graph.nodes.values()
            if node.resource_type == 'model' and node.original_file_path.startswith('models/topics/')
            and node.name not in registered -%}
            {%- do mistakes.append("The topic " ~ node.name ~ " (" ~ node.original_file_path
                ~ ") is not registered: add the line '    - "
                ~ node.name ~ "' under vars: topics: in dbt_project.yml.") -%}
        {%- endfor -%}
        {%- for name in registered | unique -%}
            {%- set found = [] -%}
            {%- if registered.count(name) > 1 -%}
                {%- do found.append("The topic " ~ name ~ " is registered twice: leave one line '- " ~ name
                    ~ "' under vars: topics: in dbt_project.yml.") -%}
            {%- endif -%}
            {%- do check_topic(graph.nodes['model.' ~ project_name ~ '.' ~ name], found) -%}
            {%- do check_units(graph.nodes['model.' ~ project_name ~ '.' ~ name], units, found) -%}
            {%- do mistakes.extend(found[:1]) -%}
        {%- endfor -%}
        {%- if mistakes -%}
            {%- do stop(mistakes | join('\n')) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}

{#- A unit that nothing converts to would stop the build at the model's first row, or land no member at all. -#}
{% macro check_units(node, units, found) -%}
    {%- set asked = "(?:number|as_of)[(] *['\"](P[0-9]+(?:/P[0-9]+)?)['\"] *, *(?:unit *= *)?['\"](Q[0-9]+)['\"](?=(?:.*?}} as (\\w+))?)" -%}
    {%- for path, unit, column in modules.re.findall(asked, node.raw_code, modules.re.DOTALL) if unit not in units -%}
        {%- do found.append("The unit " ~ unit ~ " of the path " ~ path ~ (" for the column " ~ column if column else "")
            ~ " in " ~ node.original_file_path ~ " is not listed: add it to seeds/units.csv or use a listed one.") -%}
    {%- endfor -%}
    {%- for filter in (node.config.meta.get('source') or {}).get('filters') or []
        if filter is mapping and filter.unit and filter.unit not in units -%}
        {%- do found.append("The unit " ~ filter.unit ~ " of the filter on " ~ filter.property ~ " in models/topics/" ~ node.name
            ~ ".yml is not listed: add it to seeds/units.csv or use a listed one.") -%}
    {%- endfor -%}
{%- endmacro %}

{% macro check_topic(node, found) -%}
    {%- set file = 'models/topics/' ~ node.name ~ '.yml' -%}
    {%- set meta = node.config.meta -%}
    {%- do check_keys(meta, ['source', 'topic'], "config.meta of " ~ node.name, file, found) -%}
    {%- for part in ['source', 'topic'] if meta.get(part) is not mapping -%}
        {%- do found.append("The topic " ~ node.name ~ " has no config.meta." ~ part ~ " in " ~ file
            ~ ": add it as models/topics/README.md shows.") -%}
    {%- endfor -%}
    {%- if not found -%}
        {%- do check_keys(meta.source, ['classes', 'excluded_classes', 'filters', 'least_sitelinks', 'properties', 'hops'], "meta.source of "
            ~ node.name, file, found) -%}
        {%- do check_keys(meta.topic, ['singular', 'plural', 'label_article'], "meta.topic of "
            ~ node.name, file, found) -%}
        {%- for word in ['singular', 'plural'] if not meta.topic.get(word) -%}
            {%- do found.append("The topic " ~ node.name ~ " has no meta.topic." ~ word ~ " in " ~ file
                ~ ": add the " ~ word ~ " noun that questions use.") -%}
        {%- endfor -%}
        {%- for key in ['entity_id', 'label'] if key not in node.columns -%}
            {%- do found.append("The topic " ~ node.name ~ " lists no column " ~ key ~ " in " ~ file
                ~ ": every topic has entity_id and label, both varchar.") -%}
        {%- endfor -%}
        {%- do check_topic_sql(node, found) -%}
        {%- for column in node.columns.values() if column.meta -%}
            {%- do check_attribute(node, column, file, found) -%}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro %}

{#- What the SQL asks of topic_facts() must be what meta.source lands: anything else would silently be NULL. -#}
{% macro check_topic_sql(node, found) -%}
    {%- set sql = node.raw_code -%}
    {%- set prop = property_pattern() | trim -%}
    {#- Names that are themselves written by Jinja can't be looked up; there the contract catches what is missing. -#}
    {%- set written_out = not modules.re.search('as *{{|{%-? *for', sql) -%}
    {%- for name in node.columns if written_out and not modules.re.search('\\b' ~ modules.re.escape(name)
        ~ '\\b', sql) -%}
        {%- do found.append("The column " ~ name ~ " in models/topics/" ~ node.name ~ ".yml is not selected in "
            ~ node.original_file_path
            ~ ": select it there or remove it from the yml.") -%}
    {%- endfor -%}
    {%- for path in modules.re.findall("['\"](" ~ prop ~ "(?:/" ~ prop ~ ")?)['\"] *[,)]", sql) -%}
        {%- do check_path(node, path, node.original_file_path, found) -%}
    {%- endfor -%}
    {%- set call = modules.re.search('topic_facts[(](.*?)[)] *[}]', sql, modules.re.DOTALL) -%}
    {%- if call -%}
        {%- set hops = modules.re.search('hops *= *\\[(.*?)\\]', call.group(1), modules.re.DOTALL) -%}
        {%- set followed = modules.re.findall(prop, hops.group(1)) if hops else [] -%}
        {%- for first in modules.re.findall("['\"](" ~ prop ~ ")/" ~ prop ~ "['\"]", sql) if first not in followed -%}
            {%- do found.append("A path through " ~ first ~ " in " ~ node.original_file_path
                ~ " finds nothing, because topic_facts() does not "
                ~ "follow it: add '" ~ first ~ "' to its hops.") -%}
        {%- endfor -%}
        {%- for class in modules.re.findall('Q[0-9]+', call.group(1)) if class not in node.config.meta.source.get('classes', []) -%}
            {%- do found.append("The class " ~ class ~ " in " ~ node.original_file_path
                ~ " is not landed: add it to meta.source.classes of models/topics/"
                ~ node.name ~ ".yml.") -%}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro %}

{#- The properties of a hop and P31 are landed without being listed. -#}
{% macro check_path(node, path, file, found) -%}
    {%- set wanted = wanted_facts(node) -%}
    {%- set steps = path.split('/') -%}
    {%- if steps[0] not in wanted.properties -%}
        {%- do found.append("The property " ~ steps[0] ~ " of the path " ~ path ~ " in " ~ file
            ~ " is not landed: add it to meta.source.properties of models/topics/" ~ node.name ~ ".yml and run the ingest.") -%}
    {%- elif steps | length == 2 and path not in wanted.paths -%}
        {%- do found.append("The property " ~ steps[1] ~ " of the path " ~ path ~ " in " ~ file
            ~ " is not landed: add it to meta.source.hops." ~ steps[0] ~ " of models/topics/" ~ node.name
            ~ ".yml and run the ingest.") -%}
    {%- endif -%}
{%- endmacro %}

{% macro check_keys(mapping, known, what, file, found) -%}
    {%- for key in mapping if key not in known -%}
        {%- do found.append("Unknown key " ~ key ~ " in " ~ what ~ " (" ~ file ~ "): use one of "
            ~ known | join(', ') ~ ".") -%}
    {%- endfor -%}
{%- endmacro %}
