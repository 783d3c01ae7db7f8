"""The logic of each step, free of Dagster, so that it can be called and tested as plain functions."""
