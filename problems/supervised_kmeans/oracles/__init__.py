"""Searches for the best clustering by a similarity matrix, in training and in prediction.

An oracle is any object with a ``quality`` ('exact', 'undergenerating' or 'overgenerating') and a
method ``cluster(K, n_clusters, starts)`` that returns labels or a matrix of orthonormal columns.
One that also has ``refine(K, n_clusters, starts)``, a cheap search from the starts alone, is asked
for that first in training.
"""

from __future__ import annotations

from typing import Any

from structsvm.problems.supervised_kmeans.oracles.clusterer import ClustererOracle
from structsvm.problems.supervised_kmeans.oracles.iterative import IterativeOracle
from structsvm.problems.supervised_kmeans.oracles.spectral import DiscreteOracle, SpectralOracle

__all__ = ["DiscreteOracle", "IterativeOracle", "SpectralOracle", "resolve_oracle"]

NAMED = {"iterative": IterativeOracle, "spectral": SpectralOracle, "discrete": DiscreteOracle}


def resolve_oracle(name: str, oracle: Any) -> Any:
    """The oracle that a parameter of this name stands for."""
    if isinstance(oracle, str) and oracle in NAMED:
        return NAMED[oracle]()
    if hasattr(oracle, "cluster") and hasattr(oracle, "quality") and not isinstance(oracle, type):
        return oracle
    if name == "predictor" and hasattr(oracle, "fit_predict") and not isinstance(oracle, type):
        return ClustererOracle(oracle)
    also = ", or a clusterer of scikit-learn" if name == "predictor" else ""
    raise ValueError(
        f"{name} must be one of {', '.join(map(repr, NAMED))}, an oracle such as "
        f"IterativeOracle() with a quality and a method cluster{also}; got {oracle!r}"
    )
