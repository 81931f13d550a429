"""Supervised k-means: learn a similarity from examples, for a given number of clusters."""
