"""The tables of docs/supervised_clustering.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.averages import averaged, grouped
from benchmarks.store import Content, Row, stored
from benchmarks.tables.table import Table

RESULTS = "set_clustering/pairwise"
#: The baseline beside each of ours, in the results.
BASELINES = {"SupervisedKMeans": "pairs, Iterative", "CorrelationClustering": "pairs, greedy"}
#: Collections of texts as the results and as the picture name them.
TEXTS = {
    "news": "newsgroups",
    "webkb-n tf-idf": "WebKB, tf-idf",
    "webkb-l": "WebKB, links",
}


def summary(content: Content, ours: str, where: str) -> list[Row]:
    """Means over all families, and on how many of them ours is ahead or behind."""
    groups = grouped(content[f"{ours}, {where}"], ["sets to learn from"])
    return [
        {"sets": str(condition).replace(", a fifth of the items misplaced", ", noisy")}
        | compared(members, ours)
        for (condition,), members in groups.items()
    ]


def compared(rows: list[Row], ours: str) -> Row:
    mine, others = (np.array([row[name] for row in rows]) for name in (ours, BASELINES[ours]))
    ahead, behind = decided(mine - others)
    means = {"ours": f"{mine.mean():.1f}", "pairs": f"{others.mean():.1f}"}
    return means | {"ahead": f"{ahead} of {len(rows)}", "behind": behind}


def decided(differences: Any) -> tuple[int, int]:
    """In how many rows the mean over the draws is more than two standard errors above 0, below."""
    errors = differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1])
    means = differences.mean(axis=1)
    return int(np.sum(means > 2 * errors)), int(np.sum(-means > 2 * errors))


def partitions_and_pairs(collection: str) -> dict[str, float]:
    """The mean loss on a collection, of pairs by the better of two classifiers."""
    content = stored("reproduction/supervised_kmeans")
    rows = [row for found in content.values() for row in found if row.get("data") == collection]
    of = {row["method"]: row["loss"] for row in averaged(rows, ["method"])}
    pairs = min(of["Logistic"], of["Pair"])
    return {"partitions": of["Iterative"], "pairs": pairs, "equal weights": of["None"]}


TABLES = {
    "pairwise-k-means": Table(summary, RESULTS, ours="SupervisedKMeans", where="comparison"),
    "pairwise-correlation": Table(summary, RESULTS, ours="CorrelationClustering", where="choice"),
}
