"""FIRST EPSS: how likely a vulnerability is to be exploited, by day."""
