"""Oracles for correlation clustering by a similarity matrix.

An oracle is any object with a ``quality`` ('exact', 'undergenerating' or 'overgenerating') and a
method ``cluster(K, starts)`` that returns labels, or a matrix that says to what extent each pair is
together. If it also has ``refine(K, starts)``, a cheap search from the starts alone, training calls
that first.
"""
