"""ChainSVM() beside CRFsuite's L-BFGS, and beside LinearSVC and LogisticRegression of single rows.

All have their defaults. The score is the fraction of right labels; each sequence is predicted by a
model of two thirds of the others.

    python -m benchmarks defaults/sequences    # CRFsuite needs python-crfsuite

The sets are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

from benchmarks.crfsuite import tagger
from benchmarks.defaults._scores import line, scores_of
from benchmarks.defaults._sequences import Sequences, confirmation, stacked
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.problems import ChainSVM

#: Parts into which the sequences are divided, of which each is predicted by a model of the others.
PARTS = 3


class CRFsuite:
    """CRFsuite's L-BFGS with its default parameters."""

    def fit(self, X: list[Any], Y: list[Any]) -> CRFsuite:
        self._kind = type(Y[0][0])
        labels = ([str(label) for label in y] for y in Y)
        self._tagger = tagger(zip(map(_items, X), labels, strict=True), "lbfgs")
        return self

    def predict(self, X: list[Any]) -> list[Any]:
        return [np.array([self._kind(y) for y in self._tagger.tag(_items(x))]) for x in X]


def _items(x: Any) -> list[dict[str, float]]:
    rows = sparse.csr_matrix(x)
    ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return [
        dict(zip(map(str, rows.indices[a:b]), map(float, rows.data[a:b]), strict=True))
        for a, b in ends
    ]


class RowByRow:
    """A classifier of rows."""

    def __init__(self, classifier: Any) -> None:
        self._classifier = classifier

    def fit(self, X: list[Any], Y: list[Any]) -> RowByRow:
        self._classifier.fit(stacked(X), np.concatenate(Y))
        return self

    def predict(self, X: list[Any]) -> list[Any]:
        return [self._classifier.predict(x) for x in X]


def scores(data: Sequences, model: Any) -> list[float]:
    """The scores of all sequences, each by a model of other parts."""
    found = []
    for parts in KFold(PARTS, shuffle=True, random_state=0).split(np.arange(len(data.rows))):
        (X, Y), (others, labels) = (
            ([data.rows[i] for i in part], [data.labels[i] for i in part]) for part in parts
        )
        pairs = zip(model.fit(X, Y).predict(others), labels, strict=True)
        found += [float(np.mean(np.asarray(guessed) == y)) for guessed, y in pairs]
    return found


CONTENDERS = {
    "ChainSVM": ChainSVM(),
    "CRFsuite": CRFsuite(),
    "LinearSVC": RowByRow(LinearSVC()),
    "LogisticRegression": RowByRow(LogisticRegression()),
}


def row(fits: Any, data: Sequences) -> Row:
    return line(scores_of(fits), examples=len(data.rows))


EXPERIMENTS = (
    Experiment(
        "the comparison",
        ("data",),
        confirmation(),
        {name: partial(scores, model=model) for name, model in CONTENDERS.items()},
        row,
        wide=True,
    ),
)
