"""Builds the bundled sample; see ../README.md."""
