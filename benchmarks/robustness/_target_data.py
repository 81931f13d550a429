"""Good and bad sets, label sequences, pairs, programs and graphs for the targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx
import numpy as np

from benchmarks.robustness._pool import Make, Pool, labels, rows
from benchmarks.robustness._pool_anything import ANYTHING
from benchmarks.robustness._pool_labels import LABELS
from benchmarks.robustness._pool_matrices import MATRICES
from structsvm import problems


def sets(n: int = 2) -> list[Any]:
    return [rows(12, 3, seed) for seed in range(n)]


def partitions(n: int = 2) -> list[Any]:
    return [labels() for _ in range(n)]


def similarity() -> Any:
    X = rows()
    return X @ X.T


def _graph(*edges: Any, kind: Any = networkx.DiGraph) -> Make:
    return lambda: kind(edges)


#: Graphs with the labels of the good data, 0 and 1, and other nodes.
TAXONOMIES: Pool = {
    "tree": _graph(("r", 0), ("r", "s"), ("s", 1)), "chain": _graph((0, 1)),
    "parents": _graph(("r", 0), ("r", "s"), ("s", 1), (0, 1)),
    "multigraph": _graph(("r", 0), ("r", 0), ("r", 1), kind=networkx.MultiDiGraph),
    "no directions": _graph(("r", 0), ("r", 1), kind=networkx.Graph), "no edges": _graph(),
    "cycle": _graph(("r", 0), (0, 1), (1, 0)), "loop": _graph(("r", 0), ("r", 1), (1, 1)),
    "roots": _graph(("r", 0), ("s", 1)), "no label": _graph(("r", "a"), ("r", 1)),
    "of text": _graph(("r", "0"), ("r", "1")), "of other kinds": _graph(("r", 0.0), ("r", True)),
    "nan": _graph((np.nan, 0), (np.nan, 1)), "deep": lambda: networkx.path_graph(
        3000, create_using=networkx.DiGraph),
}  # fmt: skip


def several(pool: Pool, good: Callable[[], Any]) -> Pool:
    """Sequences with one element of the pool, or two, the first of them good."""
    made: Pool = {}
    for name, make in pool.items():
        made[f"[{name}]"] = lambda make=make: [make()]
        made[f"[good, {name}]"] = lambda make=make: [good(), make()]
    return made


SETS = {**several(MATRICES, rows), **MATRICES, **ANYTHING}
PARTITIONS = {**several(LABELS, labels), **LABELS, **ANYTHING}


#: Inputs with features of pairs, and with programs, of which one matrix is bad.
BIPARTITE: Pool = {
    **{f"Bipartite({key}, ...)": lambda make=make: [problems.Bipartite(make(), rows(3), rows(4))]
       for key, make in {**MATRICES, **ANYTHING}.items()},
    **{f"Bipartite(..., {key})": lambda make=make: [
        problems.Bipartite(rows(36).reshape(3, 12, 3), rows(3), make())]
       for key, make in {**MATRICES, **ANYTHING}.items()},
}  # fmt: skip
PROGRAMS: Pool = {
    **{f"Program({key})": lambda make=make: [problems.Program(make())]
       for key, make in {**MATRICES, **ANYTHING}.items()},
    **{f"Program(..., ({key}, 1))": lambda make=make: [problems.Program(rows(), (make(), 1))]
       for key, make in {**MATRICES, **ANYTHING}.items()},
    **{f"Program(..., (1, {key}))": lambda make=make: [
        problems.Program(rows(), (np.ones((12, 12)), make()))]
       for key, make in {**MATRICES, **LABELS, **ANYTHING}.items()},
    **{f"Program(..., {key})": lambda make=make: [problems.Program(rows(), make())]
       for key, make in {**MATRICES, **ANYTHING}.items()},
}  # fmt: skip
#: Graphs of which one part is bad.
GRAPHS: Pool = {
    **{f"Graph({key}, ...)": lambda make=make: [problems.Graph(make(), [[0, 1]])]
       for key, make in {**MATRICES, **ANYTHING}.items()},
    **{f"Graph(..., {key})": lambda make=make: [problems.Graph(rows(), make())]
       for key, make in {**MATRICES, **LABELS, **ANYTHING}.items()},
    **{f"Graph(..., ..., {key})": lambda make=make: [
        problems.Graph(rows(), np.column_stack([np.arange(11), np.arange(1, 12)]), make())]
       for key, make in {**MATRICES, **ANYTHING}.items()},
}  # fmt: skip
