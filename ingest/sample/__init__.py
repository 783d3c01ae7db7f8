"""The bundled sample: real facts in Wikidata's RDF vocabulary, and the builder that makes them."""
