"""Clusterers on data on which nothing was tuned, and the search for the lowest objective."""
