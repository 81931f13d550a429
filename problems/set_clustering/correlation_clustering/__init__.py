"""Supervised correlation clustering: a similarity learned where the number of clusters is open."""
