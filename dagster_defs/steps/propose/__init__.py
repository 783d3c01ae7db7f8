"""From a concept in words to a topic that a person reviews: proposed, linked, measured, refined, written down."""
