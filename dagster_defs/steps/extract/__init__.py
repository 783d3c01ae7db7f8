"""What Wikipedia says of a topic's attributes: articles read by the extractor, each value with its sentence."""
