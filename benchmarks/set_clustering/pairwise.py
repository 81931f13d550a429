"""Learning from whole partitions compared with learning from pairs, by the kind of data.

SupervisedKMeans() and CorrelationClustering() are compared with a logistic regression of pairs,
whose log-odds our searches cluster, on the item sets of the defaults, standardised or tf-idf: with
one, two, three and six sets to learn from, and with six sets where a fifth of the items are in a
random cluster. The score is the adjusted Rand index on eight other sets of 20 items, in the mean
over five draws of all sets. C of both is as it was chosen with six sets to learn from, on the sets
of the choice, where CorrelationClustering is compared; nothing was chosen on the sets of the
comparison.

    python -m benchmarks set_clustering/pairwise    # ten to twenty minutes

Most sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.defaults._clusterers import contenders
from benchmarks.defaults._items import Family, choice, confirmation
from benchmarks.defaults._scores import by_seed
from benchmarks.defaults.clusterers import DRAWS, Sets, clustered, judged, prepared
from benchmarks.experiment import Experiment
from benchmarks.tables.pairwise import BASELINES

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


def misplaced(y: Sequence[Any], seed: int) -> list[Any]:
    """Partitions in which some items are put into a random one of the clusters."""
    rng = np.random.default_rng(seed)
    return [
        np.where(rng.random(len(labels)) < NOISE, rng.permutation(labels), labels) for labels in y
    ]


def learned_from(family: Family, condition: str, draw: int) -> Sets:
    """The sets of a draw, of which the first are to learn from."""
    n, noisy = CONDITIONS[condition]
    sets, y = family.sets(ITEMS, draw)
    given = misplaced(y[:n], draw) if noisy else y[:n]
    return Sets(prepared(sets, "prepared"), [*given, *y[n:]], n)


def on(ours: str, where: str, families: list[Family]) -> Experiment:
    found = contenders(ours)
    return Experiment(
        f"{ours}, {where}",
        ("data", "sets to learn from"),
        {
            (family.name, condition): partial(learned_from, family, condition)
            for family in families
            for condition in CONDITIONS
        },
        {name: partial(clustered, predict=found[name]) for name in (ours, BASELINES[ours])},
        judged,
        wide=True,
        draws=DRAWS,
        summary=by_seed,
    )


EXPERIMENTS = (
    on("SupervisedKMeans", "comparison", confirmation()),
    on("CorrelationClustering", "choice", choice()),
)
