"""Wikidata's two routes into one landing schema: SPARQL (live or embedded) and entity JSON."""
