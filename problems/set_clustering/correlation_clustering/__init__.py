"""Supervised correlation clustering: learn a similarity that also sets the number of clusters."""
