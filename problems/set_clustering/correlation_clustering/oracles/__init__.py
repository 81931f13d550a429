"""Searches for the best correlation clustering by a similarity matrix.

An oracle is any object with a ``quality`` ('exact', 'undergenerating' or 'overgenerating') and a
method ``cluster(K, starts)`` that returns labels, or a matrix that says how far each pair is
together. One that also has ``refine(K, starts)``, a cheap search from the starts alone, is asked
for that first in training.
"""

from __future__ import annotations

from structsvm.problems.set_clustering.correlation_clustering.oracles.greedy import GreedyOracle
from structsvm.problems.set_clustering.correlation_clustering.oracles.relaxed import RelaxedOracle

__all__ = ["GreedyOracle", "RelaxedOracle"]
