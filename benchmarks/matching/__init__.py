"""Learning to match, beside assignment without learning."""
