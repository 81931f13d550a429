"""Correlation clustering: a learned similarity also determines the number of clusters."""
