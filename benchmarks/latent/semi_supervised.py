"""Classes of which some are known, by CCCP and by SmoothedCCCP.

Rows of scikit-learn's digits and wine with columns of mean 0 and variance 1, divided by a common
factor so that the mean of ||x||^2 is 1. The other classes are unknown, and count in the loss. One
start each from the same w, a tolerance of 1 %. The objective is not convex: the lower one is
better.

    python -m benchmarks latent/semi_supervised
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import scale

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm import CCCP, LatentProblem, SmoothedCCCP
from structsvm.problems import Multiclass

SETS = {"digits": load_digits, "wine": load_wine}
#: Fractions of the classes that are known, and C for each row.
KNOWN, C = (0.1, 0.5), (0.3, 3.0)


class SemiSupervised(LatentProblem, Multiclass):
    """Classes, None where they are unknown."""


def known(load: Any, share: float, c: float) -> tuple[Any, list[Any], float]:
    """Rows, classes of which this share is known, and C."""
    X, y = load(return_X_y=True)
    X, rng = scale(X), np.random.default_rng(0)
    X /= np.sqrt((X**2).sum(axis=1).mean())
    return X, [label if rng.random() < share else None for label in y.tolist()], c * len(X)


def row(fits: Any, data: Any) -> Row:
    found: Row = {}
    for name, (result, seconds) in fits.items():
        found |= {name: result.primal, f"{name}, CPU s": seconds}
    return found


EXPERIMENTS = (
    Experiment(
        "objectives",
        ("data", "known", "C for each row"),
        {
            (name, share, c): partial(known, load, share, c)
            for (name, load), share, c in product(SETS.items(), KNOWN, C)
        },
        {
            solver.__name__: lambda data, solver=solver: solver(rtol=0.01).solve(
                SemiSupervised(), *data
            )
            for solver in (CCCP, SmoothedCCCP)
        },
        row,
        wide=True,
    ),
)
