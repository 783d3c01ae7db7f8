"""Everything that talks to a language model: calls, journal, budget, batch, prompts. Knows nothing of Dagster."""
