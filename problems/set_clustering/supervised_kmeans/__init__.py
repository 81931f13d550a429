"""Supervised k-means: a similarity learned from examples; the number of clusters is given."""
