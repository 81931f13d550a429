"""StructuredSVM(problem) with its default C, for sequences and for rankings.

Beside it LinearSVC and LogisticRegression with their defaults, which know nothing of the structure:
they classify the rows. The score is the fraction of right labels for sequences, and for rankings
the mean ROC area.
Multiclass, the third problem of rows, is in benchmarks/defaults/classifiers.py.

    python -m benchmarks defaults/structures

The sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

from benchmarks.defaults._scores import line
from benchmarks.defaults._structures import Load, Structures, confirmation, stacked
from benchmarks.experiment import Experiment, returned
from benchmarks.store import Row
from structsvm import StructuredSVM
from structsvm.problems import Chain, RocAreaProblem

#: Parts into which the examples are divided, of which each is predicted by a model of the others.
PARTS = 3

#: Scores of the examples to predict, by a model of those to learn from.
Score = Callable[[Structures, list[int], list[int]], list[float]]


def structural(data: Structures, train: list[int], test: list[int]) -> list[float]:
    """The score of StructuredSVM; labels not seen in training are wrong."""
    if data.kind == "chain":
        return labelled(lambda _: StructuredSVM(Chain()))(data, train, test)
    X, Y = list(zip(data.rows, data.labels, strict=True)), [np.zeros(len(y)) for y in data.labels]
    svm = StructuredSVM(RocAreaProblem()).fit([X[i] for i in train], [Y[i] for i in train])
    return [float(roc_auc_score(data.labels[i], data.rows[i] @ svm.w_)) for i in test]


def labelled(fit: Callable[[int], Any]) -> Score:
    """The score of a model of labels, made for a number of sequences."""

    def score(data: Structures, train: list[int], test: list[int]) -> list[float]:
        model = fit(len(train))
        model.fit([data.rows[i] for i in train], [data.labels[i] for i in train])
        found = model.predict([data.rows[i] for i in test])
        pairs = zip(found, (data.labels[i] for i in test), strict=True)
        return [float(np.mean(np.asarray(labels) == y)) for labels, y in pairs]

    return score


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


def of_parts(data: Structures, score: Score) -> list[float]:
    """The scores of all examples, each by a model of other parts."""
    parts = KFold(PARTS, shuffle=True, random_state=0).split(np.arange(len(data.rows)))
    return [s for train, test in parts for s in score(data, list(train), list(test))]


def row(fits: Any, data: Structures) -> Row:
    problem = "Chain" if data.kind == "chain" else "RocAreaProblem"
    return line(returned(fits), problem=problem, examples=len(data.rows))


def compared(sets: Mapping[str, Load], contenders: dict[str, Score]) -> Experiment:
    """A row for each set, with the mean score of each contender."""
    of_sets = {name: partial(of_parts, score=score) for name, score in contenders.items()}
    return Experiment("the comparison", ("data",), sets, of_sets, row, wide=True)


OF_ROWS = {
    "LinearSVC": row_by_row(LinearSVC()),
    "LogisticRegression": row_by_row(LogisticRegression()),
}
EXPERIMENTS = (compared(confirmation(), {"StructuredSVM": structural} | OF_ROWS),)
