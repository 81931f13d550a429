"""Searches of integer programs: scipy's milp, and the relaxations that highspy keeps.

    python -m benchmarks programs/integer_solvers

'tracking' trains on the movies of docs/examples/tracking.py. The columns are means over ten
movies: the CPU seconds of a fit and of its searches, and the number of searches. 'rebuilt' makes
the model of highspy for each search, and keeps none.

'kinds' has CPU milliseconds of a search, a mean over twenty searches of one program: scores whose
changes become smaller, as in training. Both find solutions of the same value. The knapsacks
have weak relaxations, which need many branchings.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.optimize import LinearConstraint

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm import StructuredSVM
from structsvm.problems import IntegerProgram
from structsvm.problems.programs import relaxation
from structsvm.problems.programs.constraints import Constraints
from structsvm.problems.programs.search import best

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
import tracking

#: The mean of the default C of these movies.
C = 743.0
SEARCHES = 20


class Timed(IntegerProgram):
    """Integer programs that count the searches of a fit, and their CPU seconds."""

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        start = time.process_time()
        found = super().separation_oracle(x, y, w)
        self.seconds = getattr(self, "seconds", 0.0) + time.process_time() - start
        self.searches = getattr(self, "searches", 0) + 1
        return found


def movie(frames: int, cells: int, draw: int) -> tuple[Any, Any]:
    made = tracking.movie(100 + draw, frames, cells)
    return tracking.program(made), tracking.truth(made)


def fitted(data: Any, kept: bool = True, **options: Any) -> Any:
    x, y = data
    with ExitStack() as changed:
        if not kept:
            changed.enter_context(patch.object(relaxation, "KEPT", 0))
        return StructuredSVM(Timed(**options), C=C).fit([x], [y]).problem_


def times(fit: Any, data: Any) -> Row:
    return {
        "variables": len(data[1]),
        "searches": fit.found.searches,
        "search CPU s": fit.found.seconds,
        "CPU s": fit.seconds,
    }


def solver_ways() -> dict[str, Any]:
    highspy: dict[str, Any] = {"solver": "highspy"}
    ways = {"milp": {}, "highspy, rebuilt": highspy | {"kept": False}, "highspy": highspy}
    relaxed = {f"{name}, relaxed": way | {"relaxation": True} for name, way in ways.items()}
    return {name: partial(fitted, **way) for name, way in (ways | relaxed).items()}


# ---------------------------------------------------------------------- kinds of programs


def assignment(k: int = 15) -> Any:
    """Workers and as many tasks: each has one of the others."""
    A = np.vstack([np.kron(np.eye(k), np.ones(k)), np.kron(np.ones(k), np.eye(k))])
    return LinearConstraint(A, 1, 1)


def matching(rng: Any, k: int = 30) -> Any:
    """Some pairs of nodes, each node in one pair at most: odd cycles make fractions."""
    pairs = [pair for pair in combinations(range(k), 2) if rng.random() < 0.3]
    A = np.zeros((k, len(pairs)))
    for column, ends in enumerate(pairs):
        A[list(ends), column] = 1
    return A, np.ones(k)


def facilities(f: int = 10, c: int = 20) -> Any:
    """Facilities that are open, and one of these for each customer."""
    opened = np.hstack([np.tile(-np.eye(f), (c, 1)), np.eye(f * c)])
    served = np.hstack([np.zeros((c, f)), np.kron(np.eye(c), np.ones(f))])
    return [(opened, 0), LinearConstraint(served, 1, 1)]


def ordering(k: int = 20) -> Any:
    """Linear orders of k items: 1 for the pairs whose first item comes first."""
    numbers = {pair: i for i, pair in enumerate(combinations(range(k), 2))}
    A = np.zeros((k * (k - 1) * (k - 2) // 6, len(numbers)))
    for row, (a, b, c) in enumerate(combinations(range(k), 3)):
        A[row, [numbers[a, b], numbers[b, c], numbers[a, c]]] = 1, 1, -1
    return LinearConstraint(A, 0, 1)


def packing(rng: Any, v: int = 100, m: int = 60) -> Any:
    """Sets of which no two share an element."""
    return (rng.random((m, v)) < 0.05).astype(float), np.ones(m)


def knapsack(rng: Any, v: int, m: int) -> Any:
    A = rng.integers(1, 100, size=(m, v)).astype(float)
    return A, A.sum(axis=1) / 3


KINDS = {
    "assignment": lambda rng: assignment(),
    "matching": matching,
    "facilities": lambda rng: facilities(),
    "ordering": lambda rng: ordering(),
    "packing": packing,
    "knapsack": lambda rng: knapsack(rng, 30, 1),
    "knapsack of 5 constraints": lambda rng: knapsack(rng, 50, 5),
}


def searches(kind: str) -> Any:
    rng = np.random.default_rng(0)
    program = Constraints.checked(KINDS[kind](rng))
    size = (SEARCHES, program.n_variables)
    noise = np.geomspace(1, 0.01, SEARCHES)[:, None] * rng.normal(size=size)
    return program, 0.5 + rng.normal(size=size[1]) + noise


def values(data: Any, solver: Any) -> Any:
    program, scores = data
    return [float(best(program, each, solver, None) @ each) for each in scores]


def milliseconds(fits: Any, data: Any) -> Row:
    np.testing.assert_allclose(fits["milp"].found, fits["highspy"].found, rtol=1e-9)
    each = {f"{name}, ms": 1e3 * fits[name].seconds / SEARCHES for name in fits}
    return {"variables": data[0].n_variables, **each}


EXPERIMENTS = (
    Experiment(
        "tracking",
        ("movies", "solver"),
        {"8 frames": partial(movie, 8, 12), "12 frames": partial(movie, 12, 20)},
        solver_ways(),
        times,
        draws=10,
    ),
    Experiment(
        "kinds",
        ("kind",),
        {kind: partial(searches, kind) for kind in KINDS},
        {name: partial(values, solver=solver) for name, solver in
         {"milp": None, "highspy": "highspy"}.items()},
        milliseconds,
        wide=True,
    ),
)  # fmt: skip
