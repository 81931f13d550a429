"""Drawn taxonomies, and a tree of handwritten digits, with few rows of each class.

    python -m benchmarks classification/small_taxonomies

Drawn rows are about 16 centers, four around each of four that are farther apart. The digits, of
scikit-learn, are in the tree that average linkage makes of the means of the rows trained on. All
columns have one unit; one model leaves them as they are, and all other parameters are defaults.
Means of five draws, on rows not trained on. The 0/1 loss of ``TaxonomySVM``, and the half by which
nodes above a class count, were chosen on other draws of such data and on articles of the training
part of the newsgroups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm.problems import MulticlassSVM, TaxonomySVM, tree_distance_loss

#: Rows of each class, and draws of them.
ROWS, DRAWS = (3, 15, 40), 5
#: Centers of a drawn taxonomy: groups, classes in each, and dimensions.
SHAPE = 4, 4, 60
#: Deviations of groups from 0, of classes from their group, and of rows from their class.
DEVIATIONS = 1.0, 0.6, 1.5
#: Rows of a class to test on, at most.
TESTED = 100

Split = tuple[Any, Any, Any, Any, nx.DiGraph]


def main() -> None:
    with one_thread():
        rows = [
            _row(name, make, m)
            for name, make in (("drawn", _drawn), ("digits", _digits))
            for m in ROWS
        ]
    report("classification/small_taxonomies", {"accuracy in percent, and distance": rows})


def _row(name: str, make: Callable[[int, Any], Split], m: int) -> Row:
    """Mean accuracy and distance of all models, with m rows of each class."""
    measured: dict[str, list[Any]] = {}
    for seed in range(DRAWS):
        X, y, X_test, y_test, tree = make(m, np.random.default_rng(seed))
        models = {
            "LinearSVC": LinearSVC(),
            "MulticlassSVM": MulticlassSVM(),
            "MulticlassSVM, scale=None": MulticlassSVM(scale=None),
            "TaxonomySVM": TaxonomySVM(tree),
            "TaxonomySVM, distances": TaxonomySVM(tree, cost="distance"),
        }
        for model_name, model in models.items():
            found = model.fit(X, y).predict(X_test)
            accuracy = 100 * np.mean(found == y_test)
            distance = tree_distance_loss(y_test, found, tree)
            measured.setdefault(model_name, []).append((accuracy, distance))
    row: Row = {"data": name, "rows of a class": m}
    for model_name, pairs in measured.items():
        accuracy, distance = np.mean(pairs, axis=0)
        row |= {model_name: float(accuracy), f"{model_name}: distance": float(distance)}
    return row


def _drawn(m: int, rng: Any) -> Split:
    groups, classes, d = SHAPE
    far, near, noise = DEVIATIONS
    centers = far * rng.normal(size=(groups, 1, d)) + near * rng.normal(size=(groups, classes, d))
    names = np.array([f"{group}.{k}" for group in range(groups) for k in range(classes)])
    tree = nx.DiGraph(edge for name in names for edge in (("all", name[0]), (name[0], name)))
    parts = []
    for number in (m, TESTED):
        codes = np.repeat(np.arange(len(names)), number)
        X = centers.reshape(-1, d)[codes] + noise * rng.normal(size=(len(codes), d))
        parts += [X, names[codes]]
    return *parts, tree


def _digits(m: int, rng: Any) -> Split:
    X, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    places = [order[y[order] == digit] for digit in range(10)]
    train = np.concatenate([own[:m] for own in places])
    test = np.concatenate([own[m : m + TESTED] for own in places])
    X = X / 16
    return X[train], y[train], X[test], y[test], _tree_of_means(X[train], y[train])


def _tree_of_means(X: Any, y: Any) -> nx.DiGraph:
    means = [X[y == digit].mean(axis=0) for digit in range(10)]
    # Digits are 0 to 9, and the nodes above follow, as linkage numbers them.
    merged = linkage(means, "average")[:, :2].astype(int)
    return nx.DiGraph((10 + i, int(child)) for i, pair in enumerate(merged) for child in pair)


if __name__ == "__main__":
    main()
