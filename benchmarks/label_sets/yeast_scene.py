"""Label sets of scenes and of genes, beside classifiers of single labels and chains of them.

    python -m benchmarks label_sets/yeast_scene

Trained on the training part of each set and measured on its test part. Hamming loss is the fraction
of wrong labels; F1 is the F1 of an example, averaged over the examples. Every estimator has its
defaults, or a C chosen by three-fold cross-validation on the training part. CPU seconds are those
of a fit, with one thread.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC

from benchmarks.label_sets._data import found_sets, label_sets, measures
from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.store import Row
from structsvm.problems import MultiLabelSVM

#: Values of C that are tried, as multiples of the default.
FACTORS = {"sklearn": (0.01, 0.1, 1.0, 10.0), "ours": (0.1, 1 / 3, 1.0, 3.0)}

#: The labels of scene, by column.
SCENES = ("beach", "sunset", "foliage", "field", "mountain", "urban")


def chain(base: Any) -> Any:
    return ClassifierChain(base, order="random", random_state=0)


Make = Callable[[float], Any]
#: For each estimator whose factors of C apply, and what makes it with a factor.
ESTIMATORS: dict[str, tuple[str, Make]] = {
    "OneVsRest(LinearSVC)": ("sklearn", lambda C: OneVsRestClassifier(LinearSVC(C=C))),
    "ClassifierChain(LinearSVC)": ("sklearn", lambda C: chain(LinearSVC(C=C))),
    "ClassifierChain(LogisticRegression)": (
        "sklearn",
        lambda C: chain(LogisticRegression(C=C, max_iter=5000)),
    ),
    "MultiLabelSVM": ("ours", lambda C: Scaled(C)),
    "MultiLabelSVM, independent": ("ours", lambda C: Scaled(C, structure="independent")),
    "MultiLabelSVM, tree": ("ours", lambda C: Scaled(C, structure="tree")),
    "MultiLabelSVM, cost='f1'": ("ours", lambda C: Scaled(C, cost="f1")),
    "MultiLabelSVM, independent, cost='f1'": (
        "ours",
        lambda C: Scaled(C, structure="independent", cost="f1"),
    ),
}


class Scaled(MultiLabelSVM):
    """With a multiple of the default C."""

    def __init__(self, factor: float, structure: Any = "auto", cost: Any = "hamming") -> None:
        super().__init__(structure, cost=cost)
        self.factor = factor

    def _automatic_C(self, data: Any) -> float:
        return self.factor * super()._automatic_C(data)


def cross_validated(make: Make, factor: float, X: Any, Y: Any) -> dict[str, float]:
    found = np.zeros_like(Y)
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        found[test] = make(factor).fit(X[train], Y[train]).predict(X[test])
    return measures(Y, found)


def measured(name: str, X: Any, Y: Any, train: Any) -> list[Row]:
    """Rows for the default, and for C by Hamming loss and by F1."""
    kind, make = ESTIMATORS[name]
    by_factor = {
        factor: cross_validated(make, factor, X[train], Y[train]) for factor in FACTORS[kind]
    }
    factors = {
        "default": 1.0,
        "by Hamming": min(by_factor, key=lambda c: by_factor[c]["Hamming"]),
        "by F1": max(by_factor, key=lambda c: by_factor[c]["F1"]),
    }
    seen: dict[float, Row] = {}
    for factor in set(factors.values()):
        seconds, model = cpu_seconds(lambda c=factor: make(c).fit(X[train], Y[train]), 1)
        found = model.predict(X[~train])
        seen[factor] = {"C": factor, **measures(Y[~train], found), "CPU s": seconds}
    return [{"estimator": name, "chosen": how, **seen[c]} for how, c in factors.items()]


def main() -> None:
    warnings.simplefilter("error", ConvergenceWarning)
    tables: dict[str, list[Row]] = {}
    with one_thread():
        for title, (X, Y, train) in found_sets().items():
            rows = tables.setdefault(title, [])
            for name in ESTIMATORS:
                rows += measured(name, X, Y, train)
                print(title, *rows[-3:], sep="\n", flush=True)
    if not tables:
        return
    if "scene" in tables:
        tables["pairs of scene"] = pair_weights()
    report("label_sets/yeast_scene", tables)


def pair_weights() -> list[Row]:
    """What each pair of labels of a scene adds to the score, by the defaults."""
    X, Y, train = label_sets("scene")
    svm = MultiLabelSVM().fit(X[train], Y[train])
    weights = zip(svm.edges_.tolist(), svm.pair_coef_.tolist(), strict=True)
    return [{"first": SCENES[a], "second": SCENES[b], "weight": w} for (a, b), w in weights]


if __name__ == "__main__":
    main()
