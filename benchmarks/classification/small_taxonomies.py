"""A tree of handwritten digits, with few rows of each class.

    python -m benchmarks classification/small_taxonomies

The digits, of scikit-learn, are in the tree that average linkage makes of the means of the rows
trained on. All columns have one unit, which one model leaves unchanged; all other parameters are
defaults. Means of five draws, on rows not trained on. The 0/1 loss of ``TaxonomySVM``, and the half
by which nodes above a class count, were chosen on drawn data and on articles of the training part
of the newsgroups.
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
#: Rows of a class to test on, at most.
TESTED = 100

Split = tuple[Any, Any, Any, Any, nx.DiGraph]


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
        {("digits", m): partial(digits, m) for m in ROWS},
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
