"""All that a model knows about an entity, asked for as triples."""
