"""Which deep-research questions are hard, and which of them are diverse."""
