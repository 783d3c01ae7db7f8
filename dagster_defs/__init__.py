"""Dagster wiring: assets by room, gates between them, and the run that publishes `data/assay.duckdb`."""
