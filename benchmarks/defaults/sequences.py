"""ChainSVM with its defaults, for the sequences of benchmarks/defaults/structures.py and more.

Candidates are values of C for n sequences, with features divided by their scale, and the plain
problem with the default of StructuredSVM. Beside ChainSVM: CRFsuite's L-BFGS where python-crfsuite
is installed, and LinearSVC and LogisticRegression, which classify the rows; all with their
defaults. The score is the fraction of right labels.

    python -m benchmarks defaults/sequences

The sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.crfsuite import tagger
from benchmarks.defaults import _structures
from benchmarks.defaults._structures import Load, Structures
from benchmarks.defaults.structures import OF_ROWS, Score, compared, labelled, of_parts
from benchmarks.experiment import Experiment
from structsvm import StructuredSVM
from structsvm.problems import Chain, ChainSVM

#: Candidates for C, for each sequence.
GRID = (0.2, 1.0, 5.0, 20.0)


def choice() -> dict[str, Load]:
    """The sequences that the defaults were chosen on."""
    found = _structures.choice()
    for draw in range(2):
        tagged = partial(_structures.tagged, draw, n=2000)
        found |= {f"more words {draw + 1}": tagged}
        found |= {f"rare words {draw + 1}": partial(tagged, vocabulary=5000)}
    return found


def confirmation() -> dict[str, Load]:
    return {name: load for name, load in _structures.confirmation().items() if name != "mq2008"}


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


LIMITS: dict[str, Any] = {"rtol": 1e-2, "max_iter": 200}
CANDIDATES = {f"C={c:g} n": labelled(lambda n, c=c: ChainSVM(C=c * n, **LIMITS)) for c in GRID} | {
    "not scaled, C=100": labelled(lambda _: StructuredSVM(Chain(), **LIMITS))
}
CONTENDERS = {
    "ChainSVM": labelled(lambda _: ChainSVM()),
    "CRFsuite": labelled(lambda _: CRFsuite()),
    **OF_ROWS,
}


def sets(kind: str) -> list[Structures]:
    """The sets that chose, of words or others."""
    return [load() for name, load in choice().items() if ("words" in name) == (kind == "words")]


def mean_of_sets(data: list[Structures], score: Score) -> float:
    return 100 * float(np.mean([np.mean(of_parts(one, score)) for one in data]))


EXPERIMENTS = (
    Experiment(
        "candidates",
        ("kind",),
        {kind: partial(sets, kind) for kind in ("words", "others")},
        {name: partial(mean_of_sets, score=score) for name, score in CANDIDATES.items()},
        lambda fits, data: (
            {"sets": len(data)} | {name: round(fit.found, 1) for name, fit in fits.items()}
        ),
        wide=True,
    ),
    compared(confirmation(), CONTENDERS),
)
