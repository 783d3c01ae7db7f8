{{ landed_statements(source('landed_domains', 'statements')) }}
