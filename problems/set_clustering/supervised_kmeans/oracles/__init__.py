"""Oracles that cluster by a similarity matrix, for training and prediction.

An oracle is any object with a ``quality`` ('exact', 'undergenerating' or 'overgenerating') and a
method ``cluster(K, n_clusters, starts)``. The method ``cluster`` returns labels or a matrix with
orthonormal columns. If the oracle also has ``refine(K, n_clusters, starts)``, a cheap search that
starts only from ``starts``, training calls ``refine`` first.
"""
