"""Tasks, which bind a problem to its data and compute for many examples at once."""
