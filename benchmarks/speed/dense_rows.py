"""Dense rows to a certified gap of 0.1 %, in double and single precision, and LinearSVC.

    python -m benchmarks speed/dense_rows    # needs the files in the folder STRUCTSVM_DATA

CPU seconds of one thread, medians of three, from the features of benchmarks/solvers and others. C
is per row. LinearSVC minimises the same objective (Crammer & Singer, no constant), with the loosest
tolerance that comes within 0.1 % of the optimum.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.store import Row
from structsvm import choose_solver
from structsvm.datasets import digits, load_file
from structsvm.problems import Multiclass

#: Tolerances of LinearSVC, the loosest first.
TOLERANCES = (1.0, 0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 1e-3, 1e-4, 1e-5)


def of_file(name: str, n: int, largest: float) -> tuple[Any, Any]:
    data = load_file(name)
    return data["X"][:n] / largest, data["y"][:n].astype(int)


def satellite() -> tuple[Any, Any]:
    data = load_file("satimage")
    return scale(np.asarray(data["X"], dtype=float)), data["y"].astype(int)


def at(C: float, load: Any) -> tuple[Any, Any, float]:
    X, y = load()
    return X, np.unique(y, return_inverse=True)[1], C


def certified(data: tuple[Any, Any, float], dtype: Any) -> tuple[float, Any]:
    X, y, C = data
    X, solver = X.astype(dtype), choose_solver(Multiclass(), X, y).solver.set_params(rtol=1e-3)
    return cpu_seconds(lambda: solver.solve(Multiclass(), X, y, C * len(y)))


def crammer_singer(data: tuple[Any, Any, float]) -> float:
    """The seconds of LinearSVC with the loosest of the tolerances that is enough."""
    X, y, C = data
    lowest = certified(data, np.float64)[1].dual
    for tol in TOLERANCES:
        svm = LinearSVC(C=C, tol=tol, multi_class="crammer_singer", fit_intercept=False)
        fit = svm.set_params(max_iter=100_000, random_state=0).fit
        if objective(X, y, C, fit(X, y).coef_) <= lowest * (1 + 1e-3):
            break
    return cpu_seconds(lambda: fit(X, y))[0]


def objective(X: Any, y: Any, C: float, W: Any) -> float:
    scores, rows = X @ W.T + 1, np.arange(len(y))
    scores[rows, y] -= 1
    return float(0.5 * np.vdot(W, W) + C * (scores.max(axis=1) - scores[rows, y]).sum())


def row(fits: Any, data: Any) -> Row:
    (seconds, result), (single, of_single) = (fits[name].found for name in ("float64", "float32"))
    other = fits["Crammer-Singer"].found
    times = {"float64": seconds, "float32": single, "Crammer-Singer": other}
    passes = {"passes": len(result.history), "in float32": len(of_single.history)}
    return {**times, "ratio": seconds / other, "of float32": single / seconds, **passes}


LOADERS = {
    "digits": (digits, (0.1, 1.0, 10.0)),
    "letter": (partial(of_file, "letter", 20_000, 15.0), (0.01, 0.1)),
    "mnist": (partial(of_file, "mnist", 10_000, 255.0), (0.01,)),
    "satimage": (satellite, (0.01, 0.1, 1.0)),
}
EXPERIMENTS = (
    Experiment(
        "dense rows, CPU s",
        ("data", "C of a row"),
        {
            (name, C): partial(at, C, load)
            for name, (load, values) in LOADERS.items()
            for C in values
        },
        {
            "float64": partial(certified, dtype=np.float64),
            "float32": partial(certified, dtype=np.float32),
            "Crammer-Singer": crammer_singer,
        },
        row,
        wide=True,
    ),
)
