"""Where learning from whole partitions is better than learning from pairs, and where it is not.

SupervisedKMeans() and CorrelationClustering() beside a logistic regression of pairs whose log-odds
our own searches cluster, on the item sets of the defaults, standardised or tf-idf: with one, two,
three and six sets to learn from, and with six sets where a fifth of the items are in a random
cluster. The score is the adjusted Rand index on eight other sets of 20 items, in the mean over five
draws of all sets. C of both is as it was chosen with six sets to learn from.

    python -m benchmarks.set_clustering.pairwise         # ten to twenty minutes
    python -m benchmarks.set_clustering.pairwise tables  # the documentation's tables

Most sets of the comparison are read from the folder in STRUCTSVM_DATA.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.defaults._clusterers import Predict, contenders
from benchmarks.defaults._items import Family, choice, confirmation
from benchmarks.defaults._scores import by_seed, keep, with_spread
from benchmarks.defaults.clusterers import SEEDS, judged, prepared
from benchmarks.report import Row, markdown, one_thread, stored, write_fragments

NAME = "set_clustering/pairwise"
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
OURS = {"SupervisedKMeans": "pairs, Iterative", "CorrelationClustering": "pairs, greedy"}
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


def summary(results: Mapping[str, list[Row]], ours: str) -> list[Row]:
    """Means over all families, and on how many of them ours is ahead or behind."""
    theirs, lines = OURS[ours], []
    for where in COLLECTIONS:
        rows = results.get(f"{ours}, {where}", [])
        for condition in CONDITIONS:
            those = [row for row in rows if row["sets to learn from"] == condition]
            if not those:
                continue
            mine, others = (np.array([row[name] for row in those]) for name in (ours, theirs))
            ahead, behind = decided(mine - others)
            lines.append(
                {"collection": where, "sets to learn from": condition}
                | {ours: with_spread(mine.mean(axis=0))}
                | {theirs: with_spread(others.mean(axis=0))}
                | {"difference": with_spread((mine - others).mean(axis=0))}
                | {"ahead": f"{ahead} of {len(those)}", "behind": behind}
            )
    return lines


def decided(differences: Any) -> tuple[int, int]:
    """In how many rows the mean over the draws is more than two standard errors above 0, below."""
    errors = differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1])
    means = differences.mean(axis=1)
    return int(np.sum(means > 2 * errors)), int(np.sum(-means > 2 * errors))


def by_family(results: Mapping[str, list[Row]], ours: str) -> list[Row]:
    """Ours minus theirs for every family of sets and number of sets to learn from."""
    theirs, lines = OURS[ours], []
    for where in COLLECTIONS:
        groups: dict[str, Row] = {}
        for row in results.get(f"{ours}, {where}", []):
            difference = np.subtract(row[ours], row[theirs])
            line = groups.setdefault(row["data"], {"data": row["data"]})
            line[row["sets to learn from"]] = with_spread(difference)
        lines += groups.values()
    return lines


def fragments(results: Mapping[str, list[Row]]) -> dict[str, str]:
    found = {}
    for ours, name in {
        "SupervisedKMeans": "k-means",
        "CorrelationClustering": "correlation",
    }.items():
        found[f"pairwise-{name}"] = markdown(summary(results, ours))
        found[f"pairwise-{name}-sets"] = markdown(by_family(results, ours))
    return found


def main() -> None:
    warnings.simplefilter("ignore")  # of searches that end early
    if sys.argv[1:] != ["tables"]:
        for ours, theirs in OURS.items():
            models = {name: contenders(ours)[name] for name in (ours, theirs)}
            for where, families in COLLECTIONS.items():
                keep(NAME, f"{ours}, {where}", compared(families(), models))
    write_fragments(fragments(stored(NAME)))


if __name__ == "__main__":
    with one_thread():
        main()
