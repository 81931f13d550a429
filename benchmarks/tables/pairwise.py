"""The tables of docs/supervised_clustering.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.averages import grouped, with_spread
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

RESULTS = "set_clustering/pairwise"
#: The baseline beside each of ours, in the results and in the tables.
BASELINES = {"SupervisedKMeans": "pairs, Iterative", "CorrelationClustering": "pairs, greedy"}
COLLECTIONS = ("choice", "comparison")


def summary(content: Content, ours: str) -> list[Row]:
    """Means over all families, and on how many of them ours is ahead or behind."""
    lines = []
    for where in COLLECTIONS:
        rows = content.get(f"{ours}, {where}", [])
        for (condition,), members in grouped(rows, ["sets to learn from"]).items():
            line = {"collection": where, "sets to learn from": condition}
            lines.append(line | _compared(members, ours))
    return lines


def _compared(rows: list[Row], ours: str) -> Row:
    theirs = BASELINES[ours]
    mine, others = (np.array([row[name] for row in rows]) for name in (ours, theirs))
    ahead, behind = decided(mine - others)
    return {
        ours: with_spread(mine.mean(axis=0)),
        theirs: with_spread(others.mean(axis=0)),
        "difference": with_spread((mine - others).mean(axis=0)),
        "ahead": f"{ahead} of {len(rows)}",
        "behind": behind,
    }


def decided(differences: Any) -> tuple[int, int]:
    """In how many rows the mean over the draws is more than two standard errors above 0, below."""
    errors = differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1])
    means = differences.mean(axis=1)
    return int(np.sum(means > 2 * errors)), int(np.sum(-means > 2 * errors))


def by_family(content: Content, ours: str) -> list[Row]:
    """Ours minus the baseline for every family of sets and number of sets to learn from."""
    lines = []
    for where in COLLECTIONS:
        groups: dict[str, Row] = {}
        for row in content.get(f"{ours}, {where}", []):
            difference = np.subtract(row[ours], row[BASELINES[ours]])
            line = groups.setdefault(row["data"], {"data": row["data"]})
            line[row["sets to learn from"]] = with_spread(difference)
        lines += groups.values()
    return lines


TABLES = {
    "pairwise-k-means": Table(summary, RESULTS, ours="SupervisedKMeans"),
    "pairwise-k-means-sets": Table(by_family, RESULTS, ours="SupervisedKMeans"),
    "pairwise-correlation": Table(summary, RESULTS, ours="CorrelationClustering"),
    "pairwise-correlation-sets": Table(by_family, RESULTS, ours="CorrelationClustering"),
}
