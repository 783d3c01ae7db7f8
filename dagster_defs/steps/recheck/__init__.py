"""Rechecks: the inputs of published questions fetched again, the answers computed again, and what is not as it was."""
