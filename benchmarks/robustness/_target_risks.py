"""The bundle method with the loss of one program, and tables of pairs of records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

import structsvm
from benchmarks.robustness._pool import Make, Pool
from benchmarks.robustness._pool_anything import ANYTHING, FUNCTIONS, PLAIN
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import Arguments, Target, require_sane, require_sane_result
from structsvm import problems

CONSTRAINTS = {
    "three columns": lambda: ([[1.0, 1.0, 1.0]], [1.0]),
    "no solution": lambda: {"a": ([[1.0, 0.0]], [-1.0])},
    "NaN": lambda: ([[np.nan, 1.0]], [1.0]),
}


def _hinge(w: Any) -> tuple[float, Any]:
    return max(0.0, 1 - float(w.sum())), -np.ones(2) * (w.sum() < 1)


def bundle_method() -> Target:
    good: dict[str, Make] = {
        "value_gradient_callback": lambda: _hinge, "dims": lambda: 2,
        "regularizer_weight": lambda: 0.1, "eps": lambda: 1e-6, "max_iterations": lambda: 20,
    }  # fmt: skip
    pools = {name: {**PLAIN, **FUNCTIONS} for name in good}

    def call(given: Arguments) -> None:
        most = given.pop("max_iterations")
        bundle = structsvm.BundleMethod(**given)
        bundle.optimize(most)
        require_sane_result(bundle.result)

    return Target("BundleMethod", good, pools, call)


def soft_margin_loss() -> Target:
    good: dict[str, Make] = {
        "constraints": lambda: ([[1.0, 1.0]], [1.0]), "features": lambda: np.eye(3, 2),
        "ground_truth": lambda: np.array([1, 0]), "costs": lambda: None, "w": lambda: np.ones(3),
    }  # fmt: skip
    pools: dict[str, Pool] = {name: {**MATRICES, **ANYTHING} for name in good}
    pools["constraints"] = {**CONSTRAINTS, **ANYTHING}

    def call(given: Arguments) -> None:
        w = given.pop("w")
        value, gradient = structsvm.SoftMarginLoss(**given).value_and_gradient(w)
        require_sane([value])
        require_sane(gradient, 3)

    return Target("SoftMarginLoss", good, pools, call)


def hamming_costs() -> Target:
    good: dict[str, Make] = {
        "ground_truth": lambda: np.array([1, 0]),
        "mask": lambda: np.array([1, 1]),
    }
    pools: dict[str, Pool] = {name: {**MATRICES, **ANYTHING} for name in good}

    def call(given: Arguments) -> None:
        costs = structsvm.HammingCosts(**given)
        require_sane([costs.get_offset(), *costs.get_coefficients()])

    return Target("HammingCosts", good, pools, call)


def _pairs() -> Any:
    return pandas.DataFrame(
        {"a": ["x", "x", "y"], "b": ["y", "z", "z"], "f": [1.0, 0.2, 0.1], "m": [1, 0, 0]}
    )


def pair_table() -> Target:
    good: dict[str, Make] = {
        "pairs": _pairs, "ids": lambda: ("a", "b"), "features": lambda: ["f"],
        "block": lambda: None, "match": lambda: "m", "unlisted": lambda: "impossible",
        "records": lambda: ["x", "y", "z"],
    }  # fmt: skip
    frames: Pool = {
        "empty": pandas.DataFrame, "text": lambda: _pairs().assign(f="a"),
        "NaN": lambda: _pairs().assign(f=np.nan), "twice": lambda: pandas.concat([_pairs()] * 2),
        "itself": lambda: _pairs().assign(b=list("xyz")), "no rows": lambda: _pairs()[:0],
        **MATRICES, **ANYTHING,
    }  # fmt: skip
    pools: dict[str, Pool] = {name: {**PLAIN, **FUNCTIONS} for name in good}
    pools["pairs"] = frames

    def call(given: Arguments) -> None:
        table = problems.PairTable(**given)
        model = problems.CorrelationClustering().fit(table)
        require_sane(list(model.predict(table).values()), len(table.records))

    return Target("PairTable", good, pools, call)
