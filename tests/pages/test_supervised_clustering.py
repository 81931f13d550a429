"""Figures on the page on supervised clustering are those of the results."""

import numpy as np
import pytest
from page_text import text_of

from benchmarks.averages import grouped
from benchmarks.store import stored
from benchmarks.tables.pages import TABLES
from benchmarks.tables.pairwise import RESULTS, TEXTS, compared, partitions_and_pairs


def texts():
    found = [partitions_and_pairs(name) for name in TEXTS]
    assert all(min(losses, key=losses.get) == "partitions" for losses in found)
    news, links = partitions_and_pairs("news"), partitions_and_pairs("webkb-l")
    assert abs(links["partitions"] - links["pairs"]) < 0.5
    return [f"partitions have a loss of {news['partitions']:.1f} %, pairs {news['pairs']:.1f} %"]


def sets_of(ours, where):
    return grouped(stored(RESULTS)[f"{ours}, {where}"], ["sets to learn from"])


def few_sets():
    rows = sets_of("SupervisedKMeans", "comparison")
    lines = [compared(rows[(n,)], "SupervisedKMeans") for n in "1236"]
    assert all(float(line["ours"]) < float(line["pairs"]) for line in lines)
    one, *_, six = lines
    return [
        f"Rand index is {one['ours']}, of pairs {one['pairs']}; "
        f"with six it is {six['ours']} and {six['pairs']}"
    ]


def correlation():
    rows = sets_of("CorrelationClustering", "choice")[("6",)]
    line = compared(rows, "CorrelationClustering")
    ahead = {
        row["data"]: np.mean(np.subtract(row["CorrelationClustering"], row["pairs, greedy"]))
        for row in rows
    }
    words, votes = ahead.pop("topics"), ahead.pop("votes on pairs")
    assert ahead.pop("fresh topics") > 0  # counts of words as well, within the spread of the draws
    assert max(ahead.values()) == 0
    return [
        f"With six sets it has {line['ours']}, pairs {line['pairs']}",
        f"ahead on counts of words by {words:.1f}, and by {votes:.1f} where",
        f"by up to {-min(ahead.values()):.1f}",
    ]


@pytest.mark.parametrize("source", [texts, few_sets, correlation])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("supervised_clustering.md"), figure


def test_both_are_ahead_on_unseen_classes():
    rows = {row.pop(""): row for row in TABLES["unseen-classes"].rows()}
    ours = [rows.pop(name) for name in ("SupervisedKMeans", "CorrelationClustering")]
    for column in ours[0]:
        others = max(float(row[column]) for row in rows.values())
        assert min(float(row[column]) for row in ours) > others
    assert "both are ahead of k-means" in text_of("supervised_clustering.md")
