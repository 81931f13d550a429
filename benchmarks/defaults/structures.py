"""StructuredSVM(problem) with its default C, for sequences and for rankings.

Beside it: C chosen by cross-validation on the training examples, and LinearSVC and
LogisticRegression with their defaults, which know nothing of the structure: they classify the rows.
The score is the fraction of right labels for sequences, and for rankings the mean ROC area.
Multiclass, the third problem of rows, is in benchmarks/defaults/classifiers.py.

    python -m benchmarks defaults/structures

The sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import LinearSVC

from benchmarks.defaults._scores import line, scores_of
from benchmarks.defaults._structures import Structures, confirmation, stacked
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm import StructuredSVM
from structsvm.problems import Chain, RocAreaProblem

#: Values of the cross-validation.
SEARCHED = {"C": [1.0, 10.0, 100.0, 1000.0]}
#: Parts into which the examples are divided, of which each is predicted by a model of the others.
PARTS = 3

#: Scores of the examples to predict, by a model of those to learn from.
Score = Callable[[Structures, list[int], list[int]], list[float]]


def structural(fit: Callable[[Structures], Any]) -> Score:
    """The score of a StructuredSVM."""

    def score(data: Structures, train: list[int], test: list[int]) -> list[float]:
        inputs, outputs = examples(data)
        svm = fit(data).fit([inputs[i] for i in train], [outputs[i] for i in train])
        if data.kind == "chain":
            return right(svm, [data.rows[i] for i in test], [data.labels[i] for i in test])
        return areas(svm, [inputs[i] for i in test])

    return score


def right(svm: Any, X: Any, Y: Any) -> list[float]:
    """The fraction of right labels of each sequence; labels not seen in training are wrong."""
    return [float(np.mean(found == y)) for found, y in zip(svm.predict(X), Y, strict=True)]


def areas(svm: Any, X: Any, Y: Any = None) -> list[float]:
    """The ROC area of each ranking."""
    w = getattr(svm, "best_estimator_", svm).w_
    return [float(roc_auc_score(labels, rows @ w)) for rows, labels in X]


def row_by_row(classifier: Any) -> Score:
    """The score of a classifier of rows."""

    def score(data: Structures, train: list[int], test: list[int]) -> list[float]:
        labels = np.concatenate([data.labels[i] for i in train])
        classifier.fit(stacked([data.rows[i] for i in train]), labels)
        if data.kind == "chain":
            return [
                float(np.mean(classifier.predict(data.rows[i]) == data.labels[i])) for i in test
            ]
        scores = [classifier.decision_function(data.rows[i]) for i in test]
        return [float(roc_auc_score(data.labels[i], s)) for i, s in zip(test, scores, strict=True)]

    return score


def examples(data: Structures) -> tuple[list[Any], list[Any]]:
    """Inputs and outputs of the problem."""
    if data.kind == "chain":
        return data.rows, data.labels
    return list(zip(data.rows, data.labels, strict=True)), [np.zeros(len(y)) for y in data.labels]


def problem(data: Structures) -> Any:
    return Chain() if data.kind == "chain" else RocAreaProblem()


def searched(data: Structures) -> Any:
    is_chain = data.kind == "chain"
    # Large C takes long, and a small gap is not needed.
    svm = StructuredSVM(problem(data), rtol=1e-2, max_iter=200 if is_chain else 500)
    score = right if is_chain else areas
    # StructuredSVM.score raises an error for labels that only a held-out fold has.
    folds = KFold(3, shuffle=True, random_state=0)
    return GridSearchCV(svm, SEARCHED, cv=folds, scoring=lambda *args: float(np.mean(score(*args))))


def of_parts(data: Structures, score: Score) -> list[float]:
    """The scores of all examples, each by a model of other parts."""
    parts = KFold(PARTS, shuffle=True, random_state=0).split(np.arange(len(data.rows)))
    return [s for train, test in parts for s in score(data, list(train), list(test))]


def row(fits: Any, data: Structures) -> Row:
    named = {"problem": type(problem(data)).__name__, "examples": len(data.rows)}
    return line(scores_of(fits), **named)


CONTENDERS = {
    "StructuredSVM": structural(lambda data: StructuredSVM(problem(data))),
    "C by cross-validation": structural(searched),
    "LinearSVC": row_by_row(LinearSVC()),
    "LogisticRegression": row_by_row(LogisticRegression()),
}
EXPERIMENTS = (
    Experiment(
        "the comparison",
        ("data",),
        confirmation(),
        {name: partial(of_parts, score=score) for name, score in CONTENDERS.items()},
        row,
        wide=True,
    ),
)
