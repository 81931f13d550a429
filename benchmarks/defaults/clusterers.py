"""SupervisedKMeans() and CorrelationClustering() beside clusterers without and with training.

A model learns from six sets of 10 or 30 items and clusters eight others. The score is the adjusted
Rand index, in the mean over five draws of all sets. Beside ours: a logistic regression of scikit-
learn that says of pairs whether they are together, whose log-odds our own search then clusters (the
Iterative one, or for an unknown number of clusters the greedy one); and without training KMeans and
AgglomerativeClustering on the features. All but CorrelationClustering and the logistic regression
beside it are given the true number of clusters.

The features of a pair are a constant and the absolute differences of the features of its items, or
for counts of words a constant, the cosine and the products; SupervisedKMeans takes the items
themselves. The logistic regression has the features that ours has beside it. Its C, and whether its
features are divided by the scales of ours, are chosen on the sets that our C was chosen on.

    python -m benchmarks defaults/clusterers                        # both, about an hour
    python -m benchmarks defaults/clusterers CorrelationClustering  # one

Most sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from benchmarks.defaults._clusterers import (
    Predict,
    contenders,
    correlation_clustering,
    pairs_greedy,
    pairs_iterative,
    supervised_k_means,
)
from benchmarks.defaults._items import SETS, SIZES, Family, choice, confirmation, forms
from benchmarks.defaults._scores import by_seed, keep
from benchmarks.report import one_thread
from benchmarks.store import Row
from structsvm.problems import ItemSet

RESULTS = "defaults/clusterers"
#: Draws of all sets.
SEEDS = range(5)
#: Candidates for the default C of both, and for C of the logistic regressions.
GRID = {
    "SupervisedKMeans": (300.0, 1000.0, 3000.0),
    "CorrelationClustering": (3000.0, 10_000.0, 30_000.0),
}
PAIR_GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
#: Items of a set of the candidates.
FEWER = (30,)
#: The columns of clusters found, less the true number.
EXCESS = "{}, clusters too many"


def prepared(sets: list[Any], form: str) -> list[Any]:
    """The items in a form; the scaler learns from the sets to learn from."""
    if form == "raw" or isinstance(sets[0], ItemSet):
        return sets
    words = sparse.issparse(sets[0])
    transformer = TfidfTransformer(sublinear_tf=True) if words else StandardScaler()
    stack = sparse.vstack if words else np.vstack
    transformer.fit(stack(sets[: SETS[0]]))
    return [transformer.transform(items) for items in sets]


def compared(
    families: Iterable[Family], models: Mapping[str, Predict], sizes: Iterable[int] = SIZES
) -> list[Row]:
    """A row for each family, number of items and form, with the mean scores of every draw."""
    rows = []
    for family in families:
        for m in sizes:
            draws = [family.sets(m, seed) for seed in SEEDS]
            for form in forms(draws[0][0][0]):
                found = [judged(prepared(sets, form), y, models) for sets, y in draws]
                rows.append({"data": family.name, "items": m, "form": form} | by_seed(found))
                print(rows[-1], flush=True)
    return rows


def judged(
    sets: list[Any], y: list[Any], models: Mapping[str, Predict], learned: int = SETS[0]
) -> Row:
    """Mean adjusted Rand index in percent and mean excess of clusters, on the sets to predict.

    The models learn from the first sets alone, as many as ``learned``.
    """
    truth, others = y[SETS[0] :], sets[SETS[0] :]
    numbers = [len(np.unique(labels)) for labels in truth]
    row: Row = {}
    for name, predict in models.items():
        found = predict(sets[:learned], y[:learned], others, numbers)
        scores = [adjusted_rand_score(*pair) for pair in zip(truth, found, strict=True)]
        excess = np.subtract([len(np.unique(labels)) for labels in found], numbers)
        row[name] = round(100 * float(np.mean(scores)), 2)
        row[EXCESS.format(name)] = round(float(np.mean(excess)), 2)
    return row


def candidates(ours: str) -> dict[str, dict[str, Predict]]:
    """Models by their C: ours, and logistic regressions with the scales of ours and without."""
    mine, on_pairs = {
        "SupervisedKMeans": (supervised_k_means, pairs_iterative),
        "CorrelationClustering": (correlation_clustering, pairs_greedy),
    }[ours]
    return {ours: {f"{C:g}": mine(C=C) for C in GRID[ours]}} | {
        name: {f"{C:g}": on_pairs(C=C, scaled=scaled) for C in PAIR_GRID}
        for name, scaled in (("pairs, scaled", True), ("pairs, as they are", False))
    }


def main() -> None:
    warnings.simplefilter("ignore")  # of candidates that are too small
    for ours in sys.argv[1:] or GRID:
        for name, models in candidates(ours).items():
            found = compared(choice(), models, FEWER)
            keep(RESULTS, f"{ours}, candidates, {name}", found)
        for where, families in (("the choice", choice), ("the comparison", confirmation)):
            keep(RESULTS, f"{ours}, {where}", compared(families(), contenders(ours)))


if __name__ == "__main__":
    with one_thread():
        main()
