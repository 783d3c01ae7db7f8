"""What elicited triples are worth: a sample of them against the reference, and of the reference against them."""
