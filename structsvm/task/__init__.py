"""A problem bound to its data: all that an engine asks of many examples at once."""
