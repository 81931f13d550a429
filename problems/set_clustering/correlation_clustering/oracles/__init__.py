"""Oracles for correlation clustering by a similarity matrix.

An oracle is any object with a ``quality`` ('exact', 'undergenerating' or 'overgenerating') and a
method ``cluster(K, starts)``. The method returns labels, or a matrix with the extent to which each
pair is in one cluster. If the oracle also has ``refine(K, starts)``, a cheap search that starts
only from ``starts``, training calls ``refine`` first.
"""
