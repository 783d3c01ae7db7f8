"""Concepts declared by hand, ready to become topics."""
