"""CPU time of CPM3C: against the number of rows, and against the tolerance."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.report import cpu_seconds
from benchmarks.reproduction._baselines import accuracy
from benchmarks.reproduction._cpm3c_fits import fitted
from benchmarks.reproduction._protocol import PAPERS
from benchmarks.reproduction._sets import Set
from benchmarks.store import Row
from structsvm.problems import CPM3C
from structsvm.solvers import CCCP

SIZES = (10**3, 10**4, 10**5, 10**6)
TOLERANCES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)


def mixture(n: int, k: int) -> tuple[Any, Any]:
    """k normal clouds in 20 features, two standard deviations of theirs from the common mean."""
    rng = np.random.default_rng(0)
    means = 2 * np.linalg.qr(rng.normal(size=(20, k)))[0].T
    y = rng.integers(k, size=n)
    return means[y] + rng.normal(size=(n, 20)), y


def growth_rows() -> Iterator[list[Row]]:
    """CPU seconds of a fit to mixtures of two and of four clouds, and of a start on all rows."""
    for k, n in product((2, 4), SIZES):
        X, y = mixture(n, k)
        repeats = 3 if n < 10**5 else 1
        taken, fit = cpu_seconds(partial(fitted, X, k, 0, **PAPERS), repeats)
        alone, start = cpu_seconds(partial(one_start, X, fit), repeats)
        yield [
            {
                "clusters": k,
                "n": n,
                "CPU s": taken,
                "passes": fit.n_iter_,
                "accuracy": float(100 * accuracy(fit.labels_, y)),
                "one start, CPU s": alone,
                "its passes": start.iterations,
            }
        ]


def one_start(X: Any, fit: CPM3C) -> Any:
    """The search and the descent from random directions, both on all rows."""
    w0 = fit.problem_.initial_w([X], np.random.default_rng(0))
    return CCCP().solve(fit.problem_, [X], None, fit.C_, w0=w0)


def tolerance_rows(data: Set) -> list[Row]:
    """CPU seconds and accuracy against the relative gap at which a fit stops."""
    name, X, y, k = data
    rows = []
    for rtol in TOLERANCES:
        taken, fit = cpu_seconds(partial(fitted, X, k, 0, rtol=rtol, **PAPERS), 1)
        found = float(100 * accuracy(fit.labels_, y))
        rows.append({"data": name, "rtol": rtol, "CPU s": taken, "accuracy": found})
    return rows
