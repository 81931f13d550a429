"""C and the scale of pairs that MultiLabelSVM has by default, on data without the test sets.

    python -m benchmarks label_sets/defaults

Cross-validated with three folds: on the training parts of scene and yeast where these are there, on
attributes of handwritten digits, and on synthetic sets of scikit-learn and of latent classes.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment
from benchmarks.label_sets._data import cross_validated, label_sets
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


def training_part(name: str) -> tuple[Any, Any]:
    X, Y, train = label_sets(name)
    return X[train], Y[train]


def pairs(data: Any, c: float, scale: float) -> dict[str, float]:
    X, Y = data
    C = c * (len(X) * 2 // 3) / Y.shape[1]
    return cross_validated(lambda: MultiLabelSVM(C=C, pair_scale=scale), X, Y)


EXPERIMENTS = (
    Experiment(
        "cross-validated",
        ("data", "trained"),
        {
            "scene": lambda: training_part("scene"),
            "yeast": lambda: training_part("yeast"),
            "digits": digits,
            "words, 2 labels": lambda: words(2),
            "words, 4 labels": lambda: words(4),
            "latent classes": lambda: latent_classes(0),
        },
        {
            name: lambda data, make=make: cross_validated(make, *data)
            for name, make in {
                "OneVsRest": lambda: OneVsRestClassifier(LinearSVC()),
                "independent": lambda: MultiLabelSVM("independent"),
                "tree": lambda: MultiLabelSVM("tree"),
                "F1": lambda: MultiLabelSVM(cost="f1"),
                "F1, independent": lambda: MultiLabelSVM("independent", cost="f1"),
            }.items()
        }
        | {
            f"pairs, C {c:g} n / L, scale {scale:g}": partial(pairs, c=c, scale=scale)
            for c, scale in product(CS, SCALES)
        },
        lambda fit, data: fit.found,
        strict=True,
    ),
)
