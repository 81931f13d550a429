"""MultivariateSVM compared with LinearSVC, as in Joachims (ICML 2005), on imbalanced real data.

One class against all others. C of every classifier is chosen by stratified 3-fold cross-validation
on the training rows, on a grid of half decades, by the measure that the classifier is then judged
by on the held-out rows. MultivariateSVM is trained for the measure; LinearSVC is not, and runs
plain and with class weights that balance the classes. k is half of the fraction of positive rows
for the precision, and twice that for the recall. Dense features are standardised. Satellite 4 is a
class between two others, from which linear functions separate it poorly; the set with "RBF" has the
same rows in 300 features of a Nystroem approximation of the RBF kernel.

Measures are in percent; the accuracy stands for the error. The standard error belongs to the
difference between ours and balanced on held-out rows, from 200 bootstrap samples of these rows.

    python -m benchmarks reproduction/multivariate_svm

letter and satimage are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm import OneSlackCuttingPlane
from structsvm.datasets import load_file
from structsvm.problems import MultivariateSVM
from structsvm.problems.multivariate.measures import measured

#: Values of C for MultivariateSVM, by half decades.
OUR_GRID = np.logspace(0, 5, 11).tolist()
#: Values of C for LinearSVC, by half decades.
THEIR_GRID = np.logspace(-4, 2, 13).tolist()
#: For the hundreds of fits in cross-validation: looser than the default, and limited.
SEARCH_SOLVER = OneSlackCuttingPlane(rtol=1e-2, max_iter=300)
#: For the chosen C. The gap reached is reported.
SOLVER = OneSlackCuttingPlane(rtol=1e-2, max_iter=2000)


class Split(NamedTuple):
    """Training rows and held-out rows, and which of them are positive."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


def letter() -> Split:
    data = load_file("letter")
    return standardised(data["X"], data["y"] == 0, np.arange(20_000) < 16_000)


def satellite() -> Split:
    data = load_file("satimage")
    return standardised(data["X"], data["y"] == 4, data["split"] == 0)


def satellite_rbf() -> Split:
    X, y, X_test, y_test = satellite()
    features = Nystroem(gamma=1 / X.shape[1], n_components=300, random_state=0).fit(X)
    return Split(features.transform(X), y, features.transform(X_test), y_test)


def standardised(X: Any, y: Any, training: Any) -> Split:
    scaler = StandardScaler().fit(X[training])
    return Split(
        scaler.transform(X[training]), y[training], scaler.transform(X[~training]), y[~training]
    )


SETS: dict[str, Callable[[], Split]] = {
    name: cache(read)
    for name, read in {
        "letter A": letter,
        "satellite 4": satellite,
        "satellite 4 RBF": satellite_rbf,
    }.items()
}
MEASURES = ("f1", "precision_at_k", "recall_at_k", "prbep", "roc_area", "error")


class Task(NamedTuple):
    """A split, and the measure with its k."""

    split: Split
    measure: str
    k: float | None

    def judge(self, classifier: Any, X: Any, y: Any) -> float:
        return 100 * measured(self.measure, y, classifier.decision_function(X), self.k)


def task(name: str, measure: str) -> Task:
    split = SETS[name]()
    positive = float(split.y.mean())
    k = {"precision_at_k": positive / 2, "recall_at_k": 2 * positive}
    return Task(split, measure, k.get(measure))


def chosen(task: Task, classifier: Any, grid: list[float], **final: Any) -> Any:
    """Choose C, and fit with it and further parameters."""
    X, y, *_ = task.split
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(classifier, {"C": grid}, scoring=task.judge, cv=folds, refit=False)
    search.fit(X, y)
    return clone(classifier).set_params(**search.best_params_, **final).fit(X, y)


def ours(task: Task) -> MultivariateSVM:
    svm = MultivariateSVM(task.measure, k=task.k, scale=None, solver=SEARCH_SOLVER)
    return chosen(task, svm, OUR_GRID, solver=SOLVER)


def linear_svc(task: Task, class_weight: Any = None) -> LinearSVC:
    svc = LinearSVC(max_iter=10_000, random_state=0, class_weight=class_weight)
    return chosen(task, svc, THEIR_GRID)


def row(fits: Any, task: Task) -> Row:
    """The measure of every classifier, held out."""
    X, y = task.split.X_test, task.split.y_test
    row: Row = {name: round(task.judge(fit.found, X, y), 2) for name, fit in fits.items()}
    pair = fits["ours"].found, fits["balanced"].found
    return row | {"standard error": standard_error(task, *pair)}


def standard_error(task: Task, *pair: Any) -> float:
    """The bootstrap standard error of the held-out difference of two classifiers, in percent."""
    y = task.split.y_test
    scores = [classifier.decision_function(task.split.X_test) for classifier in pair]
    rng, n = np.random.default_rng(0), len(y)
    samples = (rng.integers(n, size=n) for _ in range(200))
    values = [[measured(task.measure, y[i], s[i], task.k) for s in scores] for i in samples]
    return round(100 * float(np.std(np.diff(values))), 2)


EXPERIMENTS = (
    Experiment(
        "held-out",
        ("data", "measure"),
        {key: partial(task, *key) for key in product(SETS, MEASURES)},
        {
            "ours": ours,
            "balanced": partial(linear_svc, class_weight="balanced"),
            "plain": linear_svc,
        },
        row,
        wide=True,
    ),
)
