"""Label sets of scenes and genes, compared with classifiers of single labels and chains.

    python -m benchmarks label_sets/yeast_scene

Trained on the training part of each set and measured on its test part. Hamming loss is the fraction
of wrong labels; F1 is the F1 of an example, averaged over the examples. Every estimator has its
defaults, or a C chosen by three-fold cross-validation on the training part. CPU seconds are for a
fit, with one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.label_sets._data import cross_validated, label_sets, measures
from benchmarks.store import Row
from structsvm.problems import MultiLabelSVM

#: Values of C that are tried, as multiples of the default.
FACTORS = {"sklearn": (0.01, 0.1, 1.0, 10.0), "ours": (0.1, 1 / 3, 1.0, 3.0)}


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


Data = tuple[Any, Any, Any]


def measured(data: Data, name: str) -> list[Row]:
    """Rows for the default, and for C by Hamming loss."""
    (X, Y, train), (kind, make) = data, ESTIMATORS[name]
    by_factor = {
        factor: cross_validated(partial(make, factor), X[train], Y[train])
        for factor in FACTORS[kind]
    }
    factors = {
        "default": 1.0,
        "by Hamming": min(by_factor, key=lambda c: by_factor[c]["Hamming"]),
    }
    seen: dict[float, Row] = {}
    for factor in set(factors.values()):
        seconds, model = cpu_seconds(lambda c=factor: make(c).fit(X[train], Y[train]), 1)
        found = model.predict(X[~train])
        seen[factor] = {"C": factor, **measures(Y[~train], found), "CPU s": seconds}
    return [{"chosen": how, **seen[c]} for how, c in factors.items()]


def of_set(name: str) -> Experiment:
    return Experiment(
        name,
        ("estimator", "chosen"),
        {(): partial(label_sets, name)},
        {one: partial(measured, name=one) for one in ESTIMATORS},
        lambda fit, data: fit.found,
        strict=True,
    )


EXPERIMENTS = (of_set("scene"), of_set("yeast"))
