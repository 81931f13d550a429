"""Estimators of rows with one label each, of rankings of rows, and of costs for decisions."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.robustness._pool import labels, rows
from benchmarks.robustness._pool_anything import ANYTHING, FUNCTIONS
from benchmarks.robustness._pool_labels import LABELS
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import (
    Arguments,
    Target,
    length,
    require_sane,
    require_sane_result,
    require_sane_rows,
)
from benchmarks.robustness._target_parameters import fitted, parameters
from structsvm import problems
from structsvm.problems.decisions import GridPaths


def estimator_of_rows(cls: Any) -> Target:
    good, pools = parameters(cls)
    good |= {"X": rows, "y": (lambda: None) if _unlabelled(cls) else labels, "query": rows}
    pools |= {"X": {**MATRICES, **ANYTHING}, "y": {**LABELS, **ANYTHING}}
    pools["query"] = pools["X"]

    def call(given: Arguments) -> None:
        X, y, query = (given.pop(name) for name in ("X", "y", "query"))
        require_sane_rows(fitted(cls, given, X, y), X, query)

    return Target(cls.__name__, good, pools, call)


def _unlabelled(cls: Any) -> bool:
    return not hasattr(cls, "score")


def ranking_svm() -> Target:
    cls = problems.RankingSVM
    good, pools = parameters(cls)
    good |= {"X": rows, "y": labels, "qid": lambda: np.arange(12) // 4, "query": rows}
    pools |= {"X": {**MATRICES, **ANYTHING}, "y": {**LABELS, **ANYTHING}}
    pools |= {"qid": pools["y"], "query": pools["X"]}

    def call(given: Arguments) -> None:
        X, y, qid, query = (given.pop(name) for name in ("X", "y", "qid", "query"))
        svm = fitted(cls, given, X, y, qid=qid)
        require_sane_result(svm.result_)
        require_sane(svm.predict(query), length(query))
        require_sane(svm.score(X, y, qid=qid))

    return Target(cls.__name__, good, pools, call)


def decision_focused_regressor() -> Target:
    cls = problems.DecisionFocusedRegressor
    good, pools = parameters(cls)
    good |= {"optimize": lambda: GridPaths(2, 2), "X": rows, "y": _costs, "query": rows}
    pools |= {name: {**MATRICES, **ANYTHING} for name in ("X", "y", "query")}
    pools["optimize"] = {**FUNCTIONS, **ANYTHING}

    def call(given: Arguments) -> None:
        X, y, query = (given.pop(name) for name in ("X", "y", "query"))
        model = fitted(cls, given, X, y)
        require_sane_result(model.result_)
        require_sane(model.predict(query), length(query))
        require_sane(model.decide(query), length(query))
        require_sane(model.score(X, y))

    return Target(cls.__name__, good, pools, call)


def _costs() -> Any:
    return np.random.default_rng(0).uniform(1, 2, size=(len(rows()), 4))
