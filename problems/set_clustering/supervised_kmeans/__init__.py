"""Supervised k-means: learn a similarity from examples, for numbers of clusters that you choose."""
