"""Wikipedia's articles, Wikidata's entities behind them, and how often they are read; by the services' APIs."""
