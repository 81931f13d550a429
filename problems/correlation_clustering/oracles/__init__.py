"""Searches for the best correlation clustering by a similarity matrix.

An oracle is any object with a ``quality`` ('exact', 'undergenerating' or 'overgenerating') and a
method ``cluster(K, starts)`` that returns labels, or a matrix that says how far each pair is
together. One that also has ``refine(K, starts)``, a cheap search from the starts alone, is asked
for that first in training.
"""

from __future__ import annotations

from typing import Any

from structsvm.problems.correlation_clustering.oracles.greedy import GreedyOracle
from structsvm.problems.correlation_clustering.oracles.relaxed import RelaxedOracle

__all__ = ["GreedyOracle", "RelaxedOracle", "resolve_oracle"]

NAMED = {"greedy": GreedyOracle, "relaxed": RelaxedOracle}


def resolve_oracle(name: str, oracle: Any) -> Any:
    """The oracle that a parameter of this name stands for."""
    if isinstance(oracle, str) and oracle in NAMED:
        return NAMED[oracle]()
    if hasattr(oracle, "cluster") and hasattr(oracle, "quality") and not isinstance(oracle, type):
        return oracle
    raise ValueError(
        f"{name} must be one of {', '.join(map(repr, NAMED))}, or an oracle such as "
        f"GreedyOracle() with a quality and a method cluster; got {oracle!r}"
    )
