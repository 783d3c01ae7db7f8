"""Searching the web through a provider. What it finds is read and forgotten: no result is kept on disk or landed."""
