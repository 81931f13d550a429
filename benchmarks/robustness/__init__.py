"""Checks of the claims that a result makes, on many random problems."""
