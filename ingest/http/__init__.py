"""The one way ingestors ask web services: polite, patient, bounded, and never half an answer."""
