"""The two solvers of the semidefinite program: bounds at 200 rows, and time and memory at more."""

from __future__ import annotations

import resource
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.report import cpu_seconds
from benchmarks.reproduction._baselines import error
from benchmarks.reproduction._sdp_time import PAIRS
from benchmarks.store import Row
from structsvm.datasets import SHAPES, digits_pair, load_file, plane
from structsvm.problems import SDPMMC

ROWS = 200
SIZES = (400, 2000, 10000)
UCI = ("australian", "vote", "diabetes")


def some(X: Any, y: Any, n: int) -> tuple[Any, Any]:
    rows = np.random.default_rng(0).permutation(len(X))[:n]
    return X[rows], y[rows]


def of_file(name: str, n: int) -> tuple[Any, Any]:
    """Rows of one of the pairs of classes, or standardised rows of UCI."""
    if name in UCI:
        data = load_file(name)
        return some(StandardScaler().fit_transform(data["X"].astype(float)), data["y"], n)
    file, classes, largest = PAIRS[name]
    data = load_file(file)
    of_classes = np.flatnonzero(np.isin(data["y"], classes))
    X, y = some(data["X"][of_classes], data["y"][of_classes] == classes[1], n)
    return X / largest, y.astype(int)


def sets(n: int) -> Iterator[tuple[str, Any, Any]]:
    """n random rows of every set of the other tables; the sets in the plane have 80."""
    for shape in SHAPES:
        yield shape, *plane(shape)
    for pair in ((2, 3), (1, 7)):
        X, y = digits_pair(*pair)
        yield f"digits {pair[0]}v{pair[1]}", *some(X, (y == pair[1]).astype(int), n)
    for name in (*PAIRS, *UCI):
        try:
            yield name, *of_file(name, n)
        except FileNotFoundError as reason:
            print(f"skipped: {name} ({reason})")


def fitted(X: Any, y: Any, **settings: Any) -> Row:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, sdp = cpu_seconds(lambda: SDPMMC(random_state=0, **settings).fit(X), repeats=1)
    return {
        "lower bound": sdp.lower_bound_,
        "f(M)": sdp.objective_,
        "f of the labels": sdp.label_objective_,
        "violation": float(sdp.max_violation_),
        "error": error(sdp.labels_, y),
        "passes": sdp.n_iter_,
        "status": sdp.result_.status.name,
        "CPU s": seconds,
    }


def solver_rows() -> Iterator[Row]:
    for name, X, y in sets(ROWS):
        row: Row = {"data": name, "n": len(X)}
        for solver in ("admm", "low_rank"):
            row[solver] = fitted(X, y, solver=solver)
        print(row, flush=True)
        yield row


def size_rows() -> Iterator[Row]:
    """Peak memory is that of the process, so sizes are in increasing order."""
    for n in SIZES:
        for name in PAIRS:
            try:
                X, y = of_file(name, n)
            except FileNotFoundError as reason:
                print(f"skipped: {name} ({reason})")
                continue
            if len(X) < n and n > SIZES[1]:
                continue
            row = {"data": name, "n": len(X), **fitted(X, y, solver="low_rank")}
            row["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(row, flush=True)
            yield row
