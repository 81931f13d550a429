"""Oracles for correlation clustering by a similarity matrix.

An oracle is any object with a ``quality`` ('exact', 'undergenerating' or 'overgenerating') and a
method ``cluster(K, starts)``. The method ``cluster`` returns labels, or a matrix with a number from
0 (separate) to 1 (in one cluster) for each pair of items. If the oracle also has ``refine(K,
starts)``, a cheap search that starts only from ``starts``, training calls ``refine`` first.
"""
