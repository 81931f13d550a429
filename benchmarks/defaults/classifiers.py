"""MulticlassSVM() beside LinearSVC() and LogisticRegression(): accuracy on held-out rows.

The first table has candidates for the default values of C and of the intercept, their means over
the sets that the values were chosen on. The second and the third compare the defaults with those of
scikit-learn, on these sets and on others that played no part in the choice. The last multiplies
standardised features by a common factor.

    python -m benchmarks.defaults.classifiers

The sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.averages import averaged
from benchmarks.defaults._rows import Rows, choice, confirmation
from benchmarks.defaults._scores import cross_validated, keep, line
from benchmarks.report import one_thread, report
from benchmarks.store import Row, stored
from structsvm.data.intercepts import with_constant
from structsvm.problems import MulticlassSVM

RESULTS = "defaults/classifiers"
#: Limits for the candidates: large C takes long on raw features, and a small gap is not needed.
LIMITS: dict[str, Any] = {"rtol": 3e-3, "max_iter": 300}
#: Candidates for C, for each size of the constant feature that carries the intercept.
CONSTANTS = {
    1.0: (1.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 10_000.0),
    3.0: (10.0, 30.0, 100.0),
    10.0: (10.0, 30.0, 100.0),
}
#: Candidates for C / n, likewise.
MULTIPLES = {1.0: (0.01, 0.1, 1.0)}
#: Common factors of standardised features.
FACTORS = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0)
#: The sets of that table: the small ones.
SMALL = ("iris", "wine", "breast cancer", "digits, 150 rows", "2 classes", "unbalanced")


class PerExample(ClassifierMixin, BaseEstimator):
    """MulticlassSVM with C in proportion to the number of rows, as LinearSVC has it."""

    def __init__(self, C: float) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> PerExample:
        self.fitted_ = ours(self.C * len(y)).fit(X, y)
        self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.fitted_.predict(X)


def ours(C: float) -> MulticlassSVM:
    return MulticlassSVM(C=C, fit_intercept=False, **LIMITS)


def candidates() -> dict[tuple[str, str], Any]:
    """Fixed values of C and multiples of n, by their names and that of the constant feature."""
    found: dict[tuple[str, str], Any] = {(f"{C:g}", "none"): ours(C) for C in (1.0, 100.0)}
    for constant, values in CONSTANTS.items():
        append = FunctionTransformer(with_constant, kw_args={"constant": constant})
        for C in values:
            found[f"{C:g}", f"{constant:g}"] = make_pipeline(append, ours(C))
        for C in MULTIPLES.get(constant, ()):
            found[f"{C:g} n", f"{constant:g}"] = make_pipeline(append, PerExample(C))
    return found


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


def scaled() -> list[Row]:
    """Mean accuracies with standardised features times a factor."""
    rows, models = [], contenders()
    sets = [data for data in choice() if data.name in SMALL]
    for factor in FACTORS:
        prepare = make_pipeline(
            StandardScaler(), FunctionTransformer(_times, kw_args={"s": factor})
        )
        each = [
            line(cross_validated(data.X, data.y, clone(prepare), models, _accuracy))
            for data in sets
        ]
        rows += averaged([{"factor": factor} | row for row in each], ["factor"], list(models))
    return rows


def _times(X: Any, s: float) -> Any:
    return s * X


def main() -> None:
    warnings.simplefilter("ignore")  # of limits, and of w = 0 where C is too small
    tried = {f"{C}, constant {constant}": model for (C, constant), model in candidates().items()}
    means = averaged(compared(choice(), tried), ["form"], list(tried))
    by_candidate = [
        {"C": C, "constant": constant} | {row["form"]: row[name] for row in means}
        for (C, constant), name in zip(candidates(), tried, strict=True)
    ]
    keep(RESULTS, "candidates", by_candidate)
    keep(RESULTS, "the choice", compared(choice(), contenders()))
    keep(RESULTS, "factors", scaled())
    keep(RESULTS, "the comparison", compared(confirmation(), contenders()))
    report(RESULTS, stored(RESULTS))


if __name__ == "__main__":
    with one_thread():
        main()
