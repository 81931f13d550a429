"""Item sets and the oracles that cluster them."""

from __future__ import annotations

import networkx
import numpy as np
import pandas

from benchmarks.robustness._pool import Make, Pool, rows
from benchmarks.robustness._pool_anything import ANYTHING, PLAIN
from benchmarks.robustness._pool_labels import LABELS
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import (
    Arguments,
    Target,
    dense,
    require_sane,
)
from benchmarks.robustness._target_data import (
    similarity,
)
from benchmarks.robustness._target_parameters import parameters
from structsvm import problems


def oracle_target(name: str) -> Target:
    cls = getattr(problems, name)
    good, pools = parameters(cls)
    good["K"] = similarity
    square = {
        **MATRICES, **ANYTHING,
        **{f"K {s:g}": (lambda s=s: s * similarity()) for s in (1e-320, 1e-160, 1e150, 1e300)},
        "K nan": lambda: similarity() * np.nan, "asymmetric": lambda: np.triu(similarity()),
        "one item": lambda: np.ones((1, 1)), "float32 K": lambda: similarity().astype(np.float32),
        "int K": lambda: similarity().astype(int), "zero K": lambda: np.zeros((12, 12)),
    }  # fmt: skip
    pools["K"] = square
    if name in ("IterativeOracle", "SpectralOracle", "DiscreteOracle"):
        good["n_clusters"] = lambda: 2
        pools["n_clusters"] = PLAIN

    def call(given: Arguments) -> None:
        K, others = given.pop("K"), {}
        if "n_clusters" in given:
            others["n_clusters"] = given.pop("n_clusters")
        require_sane(cls(**given).cluster(K, **others), len(K))

    return Target(name, good, pools, call)


def item_set() -> Target:
    good: dict[str, Make] = {
        "nodes": rows, "pairs": lambda: None, "n_items": lambda: None,
        "w": lambda: None, "i": lambda: [0, 1], "j": lambda: [1, 2],
    }  # fmt: skip
    triple = {
        f"(rows, cols, {key})": lambda make=make: (np.arange(12), np.arange(12), make())
        for key, make in MATRICES.items()
    }
    ends = {
        f"({key}, cols, features)": lambda make=make: (make(), np.arange(12), rows())
        for key, make in {**LABELS, **ANYTHING}.items()
    }
    pools: dict[str, Pool] = {
        "nodes": {**MATRICES, **ANYTHING}, "pairs": {**triple, **ends, **MATRICES, **ANYTHING},
        "n_items": PLAIN, "w": {**MATRICES, **ANYTHING}, "i": {**LABELS, **ANYTHING},
        "j": {**LABELS, **ANYTHING},
    }  # fmt: skip

    def call(given: Arguments) -> None:
        items = problems.ItemSet(given["nodes"], given["pairs"], given["n_items"])
        w = np.ones(items.n_features) if given["w"] is None else given["w"]
        require_sane(items.similarity(w), len(items))
        require_sane(items.diagonal_sum(), items.n_features)
        require_sane(dense(items.pair_vectors(given["i"], given["j"])))
        repr(items)

    return Target("ItemSet", good, pools, call)


def _frames() -> dict[str, Make]:
    return {
        "nodes": lambda: pandas.DataFrame({"a": [1.0, 2, 3]}, index=list("xyz")),
        "pairs": lambda: pandas.DataFrame(
            {"p": [1.0, 2]}, index=pandas.MultiIndex.from_tuples([("x", "y"), ("y", "z")])
        ),
    }


def item_set_from_frames() -> Target:
    bad: Pool = {
        "stranger": lambda: pandas.DataFrame(
            {"p": [1.0]}, index=pandas.MultiIndex.from_tuples([("x", "q")])
        ),
        "copies": lambda: pandas.DataFrame({"a": [1.0, 2, 3]}, index=list("xxz")),
        "three levels": lambda: pandas.DataFrame(
            {"p": [1.0]}, index=pandas.MultiIndex.from_tuples([("x", "y", "z")])
        ),
        "empty": pandas.DataFrame, "text": lambda: pandas.DataFrame({"a": list("abc")}),
        "no columns": lambda: pandas.DataFrame(index=list("xyz")),
        "NaN names": lambda: pandas.DataFrame({"a": [1.0, 2]}, index=[np.nan, "x"]),
        **MATRICES, **ANYTHING,
    }  # fmt: skip

    def call(given: Arguments) -> None:
        items = problems.ItemSet.from_frames(**given)
        require_sane(items.similarity(np.ones(items.n_features)), len(items))

    return Target("ItemSet.from_frames", _frames(), {"nodes": bad, "pairs": bad}, call)


def item_set_from_graph() -> Target:
    graphs: Pool = {
        "empty": networkx.Graph, "one node": lambda: networkx.path_graph(1),
        "no edges": lambda: networkx.empty_graph(4),
        "loops": lambda: networkx.Graph([(0, 0), (1, 1)]),
        "parallel": lambda: networkx.MultiGraph([(0, 1), (0, 1)]),
        "directed": lambda: networkx.DiGraph([(0, 1), (1, 0), (2, 1)]), **ANYTHING,
    }  # fmt: skip
    good: dict[str, Make] = {"graph": lambda: networkx.path_graph(12), "nodes": lambda: None}
    pools = {"graph": graphs, "nodes": {**MATRICES, **PLAIN}}

    def call(given: Arguments) -> None:
        items = problems.ItemSet.from_graph(**given)
        require_sane(items.similarity(np.ones(items.n_features)), len(items))

    return Target("ItemSet.from_graph", good, pools, call)
