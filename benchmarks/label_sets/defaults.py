"""C and the scale of pairs that MultiLabelSVM has by default, on data without the test sets.

    python -m benchmarks label_sets/defaults

Cross-validated with three folds: on the training parts of scene and yeast where these are there, on
attributes of handwritten digits, and on synthetic sets of scikit-learn and of latent classes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.label_sets._data import found_sets, measures
from benchmarks.report import report
from structsvm.problems import MultiLabelSVM

#: C of an example, for labels whose cost is 1.
CS = (1.0, 3.0, 10.0)
SCALES = (1.0, 3.0, 10.0)


def digits() -> tuple[Any, Any]:
    """Noisy digits with attributes that the ten classes share."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    some = rng.permutation(len(X))[:600]
    X, y = X[some] + 4 * rng.normal(size=(600, 64)), y[some]
    shared = [(0, 2, 4, 6, 8), (5, 6, 7, 8, 9), (2, 3, 5, 7), (0, 6, 8, 9), (0, 3, 6, 9), (1, 4, 7)]
    return X, np.column_stack([np.isin(y, some) for some in shared]).astype(int)


def latent_classes(seed: int) -> tuple[Any, Any]:
    """Labels that occur together, as their latent class makes them."""
    rng = np.random.default_rng(seed)
    chances, classes = rng.beta(0.3, 0.6, size=(6, 8)), rng.integers(6, size=800)
    Y = (rng.random((800, 8)) < chances[classes]).astype(int)
    return Y @ rng.normal(size=(8, 40)) + 5 * rng.normal(size=(800, 40)), Y


def words(n_labels: int) -> tuple[Any, Any]:
    X, Y, *_ = make_multilabel_classification(
        800, 30, n_classes=8, n_labels=n_labels, random_state=n_labels
    )
    return X, Y


def sets() -> dict[str, tuple[Any, Any]]:
    """Inputs and label sets by name."""
    found = {name: (X[train], Y[train]) for name, (X, Y, train) in found_sets().items()}
    return found | {
        "digits": digits(),
        "words, 2 labels": words(2),
        "words, 4 labels": words(4),
        "latent classes": latent_classes(0),
    }


def cross_validated(make: Callable[[], Any], X: Any, Y: Any) -> dict[str, float]:
    found = np.zeros_like(Y)
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        found[test] = make().fit(X[train], Y[train]).predict(X[test])
    return measures(Y, found)


def contenders(X: Any, Y: Any) -> dict[str, Callable[[], Any]]:
    """What makes each estimator, by name."""
    made: dict[str, Callable[[], Any]] = {
        "OneVsRest": lambda: OneVsRestClassifier(LinearSVC()),
        "independent": lambda: MultiLabelSVM("independent"),
        "tree": lambda: MultiLabelSVM("tree"),
        "F1": lambda: MultiLabelSVM(cost="f1"),
        "F1, independent": lambda: MultiLabelSVM("independent", cost="f1"),
    }
    n = len(X) * 2 // 3
    for c in CS:
        for scale in SCALES:
            made[f"pairs, C {c:g} n / L, scale {scale:g}"] = lambda c=c, scale=scale: MultiLabelSVM(
                C=c * n / Y.shape[1], pair_scale=scale
            )
    return made


def main() -> None:
    warnings.simplefilter("error", ConvergenceWarning)
    rows: list[dict[str, Any]] = []
    for name, (X, Y) in sets().items():
        for estimator, make in contenders(X, Y).items():
            rows.append({"data": name, "trained": estimator, **cross_validated(make, X, Y)})
            print(rows[-1], flush=True)
    report("label_sets/defaults", {"cross-validated": rows})


if __name__ == "__main__":
    main()
