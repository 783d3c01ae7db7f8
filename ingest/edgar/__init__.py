"""SEC EDGAR: what companies report in XBRL, and their tickers."""
