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

from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.problems import MulticlassSVM, TaxonomySVM, tree_distance_loss

#: Rows of each class.
ROWS = (3, 15, 40)
#: Centers of a drawn taxonomy: groups, classes in each, and dimensions.
SHAPE = 4, 4, 60
#: Deviations of groups from 0, of classes from their group, and of rows from their class.
DEVIATIONS = 1.0, 0.6, 1.5
#: Rows of a class to test on, at most.
TESTED = 100

Split = tuple[Any, Any, Any, Any, nx.DiGraph]


def drawn(m: int, draw: int) -> Split:
    rng = np.random.default_rng(draw)
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


def digits(m: int, draw: int) -> Split:
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(draw).permutation(len(y))
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


def row(fits: Any, data: Split) -> Row:
    """Accuracy and distance of all models."""
    *_, X, y, tree = data
    row: Row = {}
    for name, fit in fits.items():
        found = fit.found.predict(X)
        distance = tree_distance_loss(y, found, tree)
        row |= {name: 100 * float(np.mean(found == y)), f"{name}: distance": float(distance)}
    return row


EXPERIMENTS = (
    Experiment(
        "accuracy in percent, and distance",
        ("data", "rows of a class"),
        {
            (name, m): partial(make, m)
            for name, make in (("drawn", drawn), ("digits", digits))
            for m in ROWS
        },
        {
            "LinearSVC": lambda data: LinearSVC().fit(*data[:2]),
            "MulticlassSVM": lambda data: MulticlassSVM().fit(*data[:2]),
            "MulticlassSVM, scale=None": lambda data: MulticlassSVM(scale=None).fit(*data[:2]),
            "TaxonomySVM": lambda data: TaxonomySVM(data[-1]).fit(*data[:2]),
            "TaxonomySVM, distances": lambda data: TaxonomySVM(data[-1], cost="distance").fit(
                *data[:2]
            ),
        },
        row,
        wide=True,
        draws=5,
    ),
)
