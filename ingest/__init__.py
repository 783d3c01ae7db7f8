"""Ingestors: each lands one source as Parquet under ``data/landing`` and knows nothing of DuckDB or Dagster."""
