"""CISA KEV: vulnerabilities that are known to be exploited."""
