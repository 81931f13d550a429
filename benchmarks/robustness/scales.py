"""The share of runs in which each solver gives up, by the scale of the features.

    python -m benchmarks robustness/scales

Small random problems, whose outputs can be enumerated, with features of one kind of scale each. A
run is unsolved where it is not CONVERGED and its exact objective is more than 1 % above the lowest
one known.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone

from benchmarks.experiment import Experiment, one_thread
from benchmarks.robustness._exact import objective
from benchmarks.robustness._exact_tables import exact_table, multiclass_table
from benchmarks.robustness._problems import Case, Table
from benchmarks.robustness._random_cases import chain
from benchmarks.robustness.certificates import (
    NOT_OFFERED,
    SOLVERS,
    Solved,
    lowest,
    reference,
    solved,
)
from benchmarks.store import Row
from structsvm import choose_solver
from structsvm.problems import Multiclass

#: Random problems of each scale.
PROBLEMS = 46
#: A run that has not converged is unsolved if its objective is this fraction above the lowest.
UNSOLVED = Fraction(1, 100)
LIMITS = {"max_iter": 2000, "time_limit": 20.0}
#: The solvers of problems whose outputs are known, with margin rescaling.
PLAIN = [
    name for name, solver in SOLVERS.items() if solver.rescaling == "margin" and solver.needs_labels
]


def _columns(rng: np.random.Generator, X: Any, decades: float) -> Any:
    return X * 10.0 ** rng.uniform(-decades, decades, size=X.shape[1])


def _offset(rng: np.random.Generator, X: Any, low: float, high: float) -> Any:
    return X + 10.0 ** rng.uniform(low, high)


def _gigantic(rng: np.random.Generator, X: Any) -> Any:
    """Counts with many zeros, and one entry that is larger by far."""
    X = np.where(rng.random(X.shape) < 0.5, np.round(np.abs(X) * 3), 0.0)
    X[rng.integers(len(X)), rng.integers(X.shape[1])] = 10.0 ** rng.uniform(6, 12)
    return sparse.csr_matrix(X)


SCALES = {
    "plain": lambda rng, X: X,
    "float32": lambda rng, X: X.astype(np.float32),
    "one factor of 1e-8 to 1e8": lambda rng, X: X * 10.0 ** rng.uniform(-8, 8),
    "columns over 8 decades": lambda rng, X: _columns(rng, X, 4),
    "columns over 20 decades": lambda rng, X: _columns(rng, X, 10),
    "float32, columns over 8 decades": lambda rng, X: _columns(rng, X, 4).astype(np.float32),
    "an offset of 1e3 to 1e9": lambda rng, X: _offset(rng, X, 3, 9),
    "float32, an offset of 1e2 to 1e5": lambda rng, X: _offset(rng, X, 2, 5).astype(np.float32),
    "one gigantic sparse entry": _gigantic,
    "a row of 1e6": lambda rng, X: np.vstack([1e6 * X[:1], X[1:]]),
}


class Run(NamedTuple):
    """One solver on one problem."""

    solver: str
    outcome: str
    unsolved: bool
    seconds: float


def all_scales(seed: int) -> list[Run]:
    """All solvers on a problem of each scale."""
    found = Parallel(n_jobs=-1)(delayed(examined)(scale, seed) for scale in SCALES)
    return [run for of_problem in found for run in of_problem]


def by_solver(draws: list[list[Run]]) -> list[Row]:
    rows = []
    for name in (*PLAIN, "auto"):
        some = [run for runs in draws for run in runs if run.solver == name]
        not_converged = [run for run in some if run.outcome != "CONVERGED"]
        row = {"solver": name, "runs": len(some), "not converged": len(not_converged)}
        row |= {"%": 100 * len(not_converged) / max(1, len(some))}
        row |= {"unsolved": sum(run.unsolved for run in some)}
        rows.append(row | {"CPU s": sum(run.seconds for run in some)})
    return rows


def examined(scale: str, seed: int) -> list[Run]:
    """All solvers on one problem."""
    case = scaled_case(scale, seed)
    solvers = {name: clone(SOLVERS[name]) for name in PLAIN}
    solvers["auto"] = choose_solver(case.problem, case.X, case.Y).solver
    with one_thread():
        found = {name: solved(case, each.set_params(**LIMITS)) for name, each in solvers.items()}
    exact = case.table_for(None)
    points = [outcome.result.w for outcome in found.values() if isinstance(outcome, Solved)]
    best = lowest(case, exact, [*points, reference(exact, case, False)], False)
    runs = []
    for name, outcome in found.items():
        if isinstance(outcome, Solved):
            status, w = outcome.result.status.name, outcome.result.w
            excess = objective(exact, w, case.C, False) - best
            unsolved = status != "CONVERGED" and excess > UNSOLVED * best
            runs.append(Run(name, status, unsolved, outcome.seconds))
        elif outcome != NOT_OFFERED:
            runs.append(Run(name, outcome, True, 0.0))
    return runs


def scaled_case(scale: str, seed: int) -> Case:
    """A problem with features of this kind of scale; its kind, its sizes and its C are random."""
    rng = np.random.default_rng([seed, list(SCALES).index(scale)])
    n, d, k = int(rng.integers(4, 25)), int(rng.integers(2, 11)), int(rng.integers(2, 5))
    C = 10.0 ** rng.uniform(-3, 4)
    kind = rng.choice(["multiclass", "chain", "table"])
    if kind == "chain":
        return chain(rng, _rows_of(scale), min(n, 6), min(d, 6), min(k, 3), C)
    y = rng.permutation(np.arange(n) % min(n, k))
    if kind == "multiclass":
        X = SCALES[scale](rng, rng.normal(size=(n, d)) + rng.normal(size=(k, d))[y])
        entries = X.toarray() if sparse.issparse(X) else X
        return Case(kind, Multiclass(), X, y, C, multiclass_table(entries, y, Multiclass()))
    rows, _ = _rows_of(scale)(rng, n * k, d)
    rows, cost = rows.reshape(n, k, d), rng.random((k, k)) + 0.01
    np.fill_diagonal(cost, 0)
    return Case(kind, Table(cost), list(rows), y.tolist(), C, exact_table(rows, cost)(y))


def _rows_of(scale: str) -> Callable[..., tuple[Any, list[str]]]:
    def rows(rng: np.random.Generator, n: int, d: int) -> tuple[Any, list[str]]:
        X = SCALES[scale](rng, rng.normal(size=(n, d)))
        return (X.toarray() if sparse.issparse(X) else X), [scale]

    return rows


EXPERIMENTS = (
    Experiment(
        "by solver",
        ("solver",),
        {(): lambda seed: seed},
        all_scales,
        draws=PROBLEMS,
        summary=by_solver,
    ),
)
