"""Segmentation: a semi-Markov chain, whose features describe whole segments."""
