"""ChainSVM with its defaults, for the sequences of benchmarks/defaults/structures.py and more.

Candidates are values of C for n sequences, with features divided by their scale, and the plain
problem with the default of StructuredSVM. Beside ChainSVM: CRFsuite's L-BFGS where python-crfsuite
is installed, and LinearSVC and LogisticRegression, which classify the rows; all with their
defaults. The score is the fraction of right labels.

    python -m benchmarks defaults/sequences

The sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.averages import averaged
from benchmarks.crfsuite import tagger
from benchmarks.defaults import _structures
from benchmarks.defaults._scores import keep
from benchmarks.defaults._structures import Structures
from benchmarks.defaults.structures import Score, compared, row_by_row
from benchmarks.report import one_thread, report
from benchmarks.store import stored
from structsvm import StructuredSVM
from structsvm.problems import Chain, ChainSVM

RESULTS = "defaults/sequences"
#: Candidates for C, for each sequence.
GRID = (0.2, 1.0, 5.0, 20.0)


def choice() -> Iterator[Structures]:
    """Yield the sequences that the defaults were chosen on."""
    yield from (data for data in _structures.choice() if data.kind == "chain")
    for draw in range(2):
        yield _structures.tagged("more words", draw, n=2000)
        yield _structures.tagged("rare words", draw, n=2000, vocabulary=5000)


def confirmation() -> Iterator[Structures]:
    return (data for data in _structures.confirmation() if data.kind == "chain")


def labelled(fit: Callable[[int], Any]) -> Score:
    """The score of a model of labels, made for a number of sequences."""

    def score(data: Structures, train: list[int], test: list[int]) -> list[float]:
        model = fit(len(train))
        model.fit([data.rows[i] for i in train], [data.labels[i] for i in train])
        found = model.predict([data.rows[i] for i in test])
        pairs = zip(found, (data.labels[i] for i in test), strict=True)
        return [float(np.mean(np.asarray(labels) == y)) for labels, y in pairs]

    return score


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


def candidates() -> dict[str, Score]:
    limits: dict[str, Any] = {"rtol": 1e-2, "max_iter": 200}

    def of(c: float) -> Score:
        return labelled(lambda n: ChainSVM(C=c * n, **limits))

    found = {f"C={c:g} n": of(c) for c in GRID}
    return found | {"not scaled, C=100": labelled(lambda _: StructuredSVM(Chain(), **limits))}


def contenders() -> dict[str, Score]:
    found = {"ChainSVM": labelled(lambda _: ChainSVM())}
    if importlib.util.find_spec("pycrfsuite"):
        found["CRFsuite"] = labelled(lambda _: CRFsuite())
    else:
        print("python-crfsuite is not installed: CRFsuite is left out")
    return found | {
        "LinearSVC": row_by_row(LinearSVC()),
        "LogisticRegression": row_by_row(LogisticRegression()),
    }


def main() -> None:
    warnings.simplefilter("ignore")  # of limits
    tried = candidates()
    rows = compared(choice(), tried)
    for row in rows:
        row["kind"] = "words" if "words" in row["data"] else "others"
    keep(RESULTS, "candidates", averaged(rows, ["kind"], list(tried)))
    keep(RESULTS, "the choice", compared(choice(), contenders()))
    keep(RESULTS, "the comparison", compared(confirmation(), contenders()))
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
