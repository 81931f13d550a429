"""Where learning from whole partitions is better than learning from pairs, and where it is not.

SupervisedKMeans() and CorrelationClustering() beside a logistic regression of pairs whose log-odds
our own searches cluster, on the item sets of the defaults, standardised or tf-idf: with one, two,
three and six sets to learn from, and with six sets where a fifth of the items are in a random
cluster. The score is the adjusted Rand index on eight other sets of 20 items, in the mean over five
draws of all sets. C of both is as it was chosen with six sets to learn from, on the sets of the
choice; nothing was chosen on the sets of the comparison. For CorrelationClustering only the choice
was run.

    python -m benchmarks set_clustering/pairwise    # ten to twenty minutes

Most sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.defaults._clusterers import Predict, contenders
from benchmarks.defaults._items import Family, choice, confirmation
from benchmarks.defaults._scores import by_seed, keep
from benchmarks.defaults.clusterers import SEEDS, judged, prepared
from benchmarks.report import one_thread
from benchmarks.store import Row
from benchmarks.tables.pages import show
from benchmarks.tables.pairwise import BASELINES, RESULTS

#: Items of a set.
ITEMS = 20
#: Fraction of the items that are in a random cluster, in the noisy sets.
NOISE = 0.2
#: Sets to learn from, and whether their partitions are noisy.
CONDITIONS = {
    "1": (1, False),
    "2": (2, False),
    "3": (3, False),
    "6": (6, False),
    "6, a fifth of the items misplaced": (6, True),
}
COLLECTIONS = {"choice": choice, "comparison": confirmation}


def misplaced(y: Sequence[Any], seed: int) -> list[Any]:
    """Partitions in which some items are put into a random one of the clusters."""
    rng = np.random.default_rng(seed)
    return [
        np.where(rng.random(len(labels)) < NOISE, rng.permutation(labels), labels) for labels in y
    ]


def compared(families: Iterable[Family], models: Mapping[str, Predict]) -> list[Row]:
    """A row for each family and condition, with the mean scores of every draw."""
    rows = []
    for family in families:
        draws = [family.sets(ITEMS, seed) for seed in SEEDS]
        for condition, (n, noisy) in CONDITIONS.items():
            found = []
            for seed, (sets, y) in enumerate(draws):
                given = misplaced(y[:n], seed) if noisy else y[:n]
                found.append(judged(prepared(sets, "prepared"), [*given, *y[n:]], models, n))
            first = {"data": family.name, "sets to learn from": condition}
            rows.append(first | by_seed(found))
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    warnings.simplefilter("ignore")  # of searches that end early
    for ours, theirs in BASELINES.items():
        models = {name: contenders(ours)[name] for name in (ours, theirs)}
        for where, families in COLLECTIONS.items():
            keep(RESULTS, f"{ours}, {where}", compared(families(), models))
    show(RESULTS)


if __name__ == "__main__":
    with one_thread():
        main()
