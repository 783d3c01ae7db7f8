"""PubChem: computed properties of compounds, by PUG REST."""
