"""Classes of which some are known, by CCCP and by SmoothedCCCP.

Rows of scikit-learn's digits and wine with columns of mean 0 and variance 1, divided such that the
mean of ||x||^2 is 1. The other classes are unknown, and count in the loss. One start each from the
same w, a tolerance of 1 %. The objective is not convex: the lower one is better.

    python -m benchmarks latent/semi_supervised
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm import CCCP, LatentProblem, SmoothedCCCP
from structsvm.problems import Multiclass

RESULTS = "latent/semi_supervised"
#: Fractions of the classes that are known, and C for each row.
KNOWN, C = (0.1, 0.5), (0.3, 3.0)


class SemiSupervised(LatentProblem, Multiclass):
    """Classes, None where they are unknown."""


def row(name: str, load: Any, known: float, c: float) -> Row:
    X, y = load(return_X_y=True)
    X, rng = scale(X), np.random.default_rng(0)
    X /= np.sqrt((X**2).sum(axis=1).mean())
    Y = [label if rng.random() < known else None for label in y.tolist()]
    found: Row = {"data": name, "known": known, "C for each row": c}
    for solver in (CCCP, SmoothedCCCP):
        start = time.process_time()
        result = solver(rtol=0.01).solve(SemiSupervised(), X, Y, c * len(X))
        found[solver.__name__] = result.primal
        found[f"{solver.__name__}, CPU s"] = time.process_time() - start
    return found


def main() -> None:
    sets = {"digits": load_digits, "wine": load_wine}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        rows = [row(name, load, k, c) for name, load in sets.items() for k in KNOWN for c in C]
    report(RESULTS, {"objectives": rows})


if __name__ == "__main__":
    with one_thread():
        main()
