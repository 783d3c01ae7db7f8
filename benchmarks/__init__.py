"""Measurements; README.md holds the figures and the commands that made them."""
