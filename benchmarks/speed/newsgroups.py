"""Classification of the 20 newsgroups, compared with scikit-learn's LinearSVC.

The 11,314 articles of the training part are TF-IDF vectors of 130,107 words
(benchmarks/newsgroups.py). CPU seconds are for training, with one thread. The table has C for each
example; structsvm's C is n times as large. LinearSVC with multi_class='crammer_singer' minimises
the same objective. The suboptimality is relative to the lowest value of it for the same C and the
same rows, which end with the constant of MulticlassSVM or have none.

    python -m benchmarks speed/newsgroups    # needs the articles in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment
from benchmarks.newsgroups import articles
from benchmarks.store import Row
from structsvm import choose_solver
from structsvm.data.intercepts import BIAS, with_constant
from structsvm.problems import Multiclass


class Articles(NamedTuple):
    """Vectors to learn from and to test on, their groups, and C for every article."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    C: float
    constant: bool


def vectors(C: float, intercept: str) -> Articles:
    (X, y), (X_test, y_test) = articles().values()
    constant = intercept == "yes"
    if constant:
        X, X_test = (with_constant(rows, BIAS) for rows in (X, X_test))
    return Articles(X, y, X_test, y_test, C, constant)


def ours(data: Articles, tol: float) -> Any:
    """The weights, a row for each class."""
    solver = choose_solver(Multiclass(), data.X, data.y).solver.set_params(rtol=tol)
    result = solver.solve(Multiclass(), data.X, data.y, data.C * len(data.y))
    return result.w.reshape(-1, data.X.shape[1])


def crammer_singer(data: Articles, tol: float) -> Any:
    """Return the weights of LinearSVC, or None if training would take minutes."""
    if data.constant and tol < 1e-2:
        return None
    settings: dict[str, Any] = {"max_iter": 100_000, "random_state": 0, "fit_intercept": False}
    svc = LinearSVC(multi_class="crammer_singer", C=data.C, tol=tol, **settings)
    return svc.fit(data.X, data.y).coef_


TRAINERS = {("structsvm", tol): partial(ours, tol=tol) for tol in (1e-2, 1e-3)} | {
    ("LinearSVC, Crammer-Singer", tol): partial(crammer_singer, tol=tol)
    for tol in (1e-1, 1e-2, 1e-3)
}


def rows(fits: Any, data: Articles) -> list[Row]:
    """The time, the suboptimality and the accuracy of each run."""
    classes, codes = np.unique(data.y, return_inverse=True)
    fits = {key: fit for key, fit in fits.items() if fit.found is not None}
    values = {key: objective(data, codes, fit.found) for key, fit in fits.items()}
    best = min(values.values())
    return [
        {
            "trainer": key[0],
            "tolerance": key[1],
            "CPU s": fit.seconds,
            "test": accuracy(data, classes, fit.found),
            "suboptimality": values[key] / best - 1,
        }
        for key, fit in fits.items()
    ]


def accuracy(data: Articles, classes: Any, W: Any) -> float:
    predicted = classes[(data.X_test @ W.T).argmax(axis=1)]
    return 100 * float(np.mean(predicted == data.y_test))


def objective(data: Articles, codes: Any, W: Any) -> float:
    scores = data.X.astype(np.float64) @ W.T.astype(np.float64)
    own = np.arange(len(codes)), codes
    truth = scores[own]
    scores += 1
    scores[own] -= 1
    slacks = scores.max(axis=1) - truth
    return float(0.5 * np.sum(np.square(W, dtype=np.float64)) + data.C * slacks.sum())


EXPERIMENTS = (
    Experiment(
        "CPU seconds, one thread, and accuracy in percent",
        ("C", "intercept", "trainer", "tolerance"),
        {key: partial(vectors, *key) for key in product((0.1, 1.0), ("no", "yes"))},
        TRAINERS,
        rows,
        wide=True,
    ),
)
