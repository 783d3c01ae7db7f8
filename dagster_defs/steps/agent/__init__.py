"""An agent: a model that answers by working with tools, and the transcript of how it did."""
