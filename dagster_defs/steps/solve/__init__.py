"""Putting questions to a model under test: which questions, in which setting, and the rows its answers become."""
