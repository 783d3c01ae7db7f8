{{ landed_statements(source('landed_wikidata', 'statements')) }}
