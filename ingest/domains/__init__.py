"""The topics of deep research: who belongs to them, and what the domains' services know of whom."""
