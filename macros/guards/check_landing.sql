{#- Stops before the first model when nothing was landed, instead of with the engine's complaint about a file pattern. -#}
{% macro check_landing() -%}
    {%- if execute -%}
        {%- do check_landed_runs() -%}
        {%- set wanted = [] -%}
        {%- for node in graph.nodes.values()
            if node.resource_type == 'model' and node.path.startswith('staging/wikidata/') and node.unique_id in selected_resources -%}
            {%- do wanted.append(node.name.split('__')[1]) -%}
        {%- endfor -%}
        {%- for dataset in wanted | sort -%}
            {%- set folder = env_var('ASSAY_DATA_DIR', 'data') ~ '/landing/wikidata/' ~ dataset -%}
            {%- if files_matching(folder ~ '/*/*.parquet') == 0 -%}
                {%- do stop("No landed file in " ~ folder
                    ~ ": run the ingest first (make demo, or the ingest job in Dagster), "
                    ~ "or set ASSAY_DATA_DIR to the folder that holds landing/.") -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro %}

{#- The same for what models answered, people reviewed, rechecks found and concepts came to, where a file without rows stands for nothing. -#}
{% macro check_landed_runs() -%}
    {%- for node in graph.nodes.values() | sort(attribute='name')
        if node.resource_type == 'model' and node.path.split('/')[:2] in (['staging', 'llm'], ['staging', 'review'], ['staging', 'recheck'], ['staging', 'proposals'], ['staging', 'domains'], ['staging', 'extractions'], ['staging', 'history'])
        and node.unique_id in selected_resources -%}
        {%- set folder = env_var('ASSAY_DATA_DIR', 'data') ~ '/landing/' ~ node.path.split('/')[1] ~ '/' ~ node.name.split('__')[1] -%}
        {%- if files_matching(folder ~ '/*.parquet') == 0 -%}
            {%- do stop("No landed file in " ~ folder ~ ": build with make demo or make build, which give the folder its columns, "
                ~ "or set ASSAY_DATA_DIR to the folder that holds landing/.") -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}

{#- Ends the run with one sentence: what failed, where, how to mend. -#}
{% macro stop(sentence) -%}
    {%- do exceptions.raise_compiler_error(sentence) -%}
{%- endmacro %}
