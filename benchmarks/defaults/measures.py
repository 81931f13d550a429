"""MultivariateSVM() beside LinearSVC and LogisticRegression, by the measure that it is trained for.

The rarest class with ten rows against the others, on the sets of the script classifiers. Theirs
run with their defaults, and with class weights that balance the classes.

    python -m benchmarks.defaults.measures

The sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.averages import averaged
from benchmarks.defaults._rows import Rows, choice, confirmation
from benchmarks.defaults._scores import cross_validated, keep, line
from benchmarks.report import one_thread, report
from benchmarks.store import Row, stored
from structsvm import OneSlackCuttingPlane
from structsvm.problems import MultivariateSVM
from structsvm.problems.multivariate.measures import measured

RESULTS = "defaults/measures"
MEASURES = ("f1", "roc_area", "prbep", "error")
#: Candidates for the default C.
GRID = (1.0, 10.0, 100.0, 1000.0, 10_000.0)
#: Their solver: large C takes long, and the gap is of no interest.
SOLVER = OneSlackCuttingPlane(rtol=1e-2, max_iter=1000)
#: Rows of a set, at most.
MOST = 1000
#: Rows of the positive class, at least, so that every fold has some.
LEAST = 10


def candidates(measure: str) -> dict[str, Any]:
    return {f"C={C:g}": MultivariateSVM(measure, C=C, solver=SOLVER) for C in GRID}


def contenders(measure: str) -> dict[str, Any]:
    """Ours and theirs, with their defaults."""
    return {
        "MultivariateSVM": MultivariateSVM(measure),
        "LinearSVC": LinearSVC(),
        "LinearSVC, balanced": LinearSVC(class_weight="balanced"),
        "LogisticRegression": LogisticRegression(),
        "LogisticRegression, balanced": LogisticRegression(class_weight="balanced"),
    }


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
    warnings.simplefilter("ignore")  # of limits, and of w = 0 where C is too small
    names = list(candidates("f1"))
    by_candidate = averaged(compared(choice(), candidates), ["measure", "form"], names)
    keep(RESULTS, "candidates", by_candidate)
    keep(RESULTS, "the choice", compared(choice(), contenders))
    keep(RESULTS, "the comparison", compared(confirmation(), contenders))
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
