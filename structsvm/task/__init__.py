"""Tasks: a problem bound to its data, with all methods for many examples."""
