"""SupervisedKMeans(), CorrelationClustering(), and clusterers without and with training.

A model learns from six sets of 10 or 30 items and clusters eight others. The score is the adjusted
Rand index, in the mean over five draws of all sets. The trained alternative is a logistic
regression of scikit-learn, which predicts whether pairs are together; our search clusters its
log-odds (the Iterative search, or the greedy search for an unknown number of clusters). The
alternatives without training are KMeans and AgglomerativeClustering on the features. All methods
but CorrelationClustering and its logistic regression get the true number of clusters.

The features of a pair are a constant and the absolute differences of the features of its items, or
for counts of words a constant, the cosine and the products; SupervisedKMeans takes the items
themselves. The logistic regression has the features of our method in the same table. Its C, and
whether its features are divided by our scales, were chosen on the sets that were used to choose our
C.

    python -m benchmarks defaults/clusterers    # about an hour

Most sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from benchmarks.defaults._clusterers import Predict, contenders
from benchmarks.defaults._items import SETS, SIZES, Family, confirmation
from benchmarks.defaults._scores import by_seed
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.problems import ItemSet

#: Draws of all sets.
DRAWS = 5


def prepared(sets: list[Any], form: str) -> list[Any]:
    """The items in a form; the scaler learns from the sets to learn from."""
    if form == "raw" or isinstance(sets[0], ItemSet):
        return sets
    words = sparse.issparse(sets[0])
    transformer = TfidfTransformer(sublinear_tf=True) if words else StandardScaler()
    stack = sparse.vstack if words else np.vstack
    transformer.fit(stack(sets[: SETS[0]]))
    return [transformer.transform(items) for items in sets]


class Sets(NamedTuple):
    """Item sets with their partitions: SETS[0] sets to learn from, then the sets to predict."""

    X: list[Any]
    y: list[Any]
    learned: int = SETS[0]

    @property
    def numbers(self) -> list[int]:
        return [len(np.unique(labels)) for labels in self.y[SETS[0] :]]


def in_form(family: Family, m: int, form: str, draw: int) -> Sets:
    sets, y = family.sets(m, draw)
    return Sets(prepared(sets, form), y)


def clustered(data: Sets, predict: Predict) -> list[Any]:
    some = slice(data.learned)
    return predict(data.X[some], data.y[some], data.X[SETS[0] :], data.numbers)


def judged(fits: Any, data: Sets) -> Row:
    """The mean adjusted Rand index in percent on the sets to predict."""
    found = {
        name: [adjusted_rand_score(*pair) for pair in zip(data.y[SETS[0] :], sets, strict=True)]
        for name, (sets, _) in fits.items()
    }
    return {name: round(100 * float(np.mean(values)), 2) for name, values in found.items()}


EXPERIMENTS = tuple(
    Experiment(
        f"{ours}, the comparison",
        ("data", "items", "form"),
        {
            (family.name, m, form): partial(in_form, family, m, form)
            for family in confirmation()
            for m in SIZES
            for form in family.forms
        },
        {name: partial(clustered, predict=predict) for name, predict in contenders(ours).items()},
        judged,
        wide=True,
        draws=DRAWS,
        summary=by_seed,
    )
    for ours in ("SupervisedKMeans", "CorrelationClustering")
)
