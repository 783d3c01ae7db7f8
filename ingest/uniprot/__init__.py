"""UniProtKB: protein entries, and what became of accessions that are entries no longer."""
