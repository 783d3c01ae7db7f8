"""Clearer wordings of accepted questions: proposed by a model, checked word by word, confirmed by a judge."""
