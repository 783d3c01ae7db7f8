"""What is known of an entity from elsewhere: its article and web results, cut into passages and read as triples."""
