"""Figures on the page on maximum margin clustering are those of the results."""

import numpy as np
import pytest
from page_text import text_of

from benchmarks.averages import averaged, grouped
from benchmarks.store import stored
from benchmarks.tables.clustering import DEFAULTS, KNOWN, OURS, by_kind, means

TASKS = stored(DEFAULTS)["tasks"]
CONFIRMING = [row for row in stored(KNOWN)["tasks"] if row["part"] == "confirming"]


def by_method(rows, by):
    """The rows of each task, by their method."""
    return [{row["method"]: row for row in of_one} for of_one in grouped(rows, by).values()]


def other_clusterers():
    ari, accuracy = (by_kind(TASKS, measure)["mean"] for measure in ("ARI", "accuracy"))
    gains = [
        task[OURS]["ARI"] - task["k-means"]["ARI"] for task in by_method(TASKS, ["kind", "task"])
    ]
    below, above = (sum(sign * gain > 5 for gain in gains) for sign in (-1, 1))
    return [
        f"On {len(gains)} tasks that played no part in any choice",
        f"{ari[OURS]:.1f} (k-means {ari['k-means']:.1f}, spectral clustering "
        f"{ari['spectral']:.1f})",
        f"{accuracy[OURS]:.1f} % of the rows",
        f"above k-means by more than 5 points on {above} and below it on {below}, by "
        f"{-min(gains):.0f} at most",
    ]


def how_many():
    rows = [row for row in stored("clustering/how_many")["tasks"] if row["half"] == "confirming"]

    def right(name, off=0):
        return sum(abs(row[f"{name}, near"] - row["classes"]) <= off for row in rows)

    within, plain = "within 1 %", "silhouette, k-means"
    return [
        f"Of {len(rows)} tasks that chose nothing, of 2 to 12 classes, it finds the number on "
        f"{right(within)}",
        f"up to one more or less on {right(within, 1)}",
        f"the silhouette of k-means on {right(plain)} and {right(plain, 1)}",
    ]


def empty_clusters():
    rows = [
        row
        for row in stored("clustering/sizes")["tasks"]
        if row["clusters"] > 2 and row["kernel"] == "linear" and row["least size"] == "none"
    ]
    empty = sum(row["smallest"] == 0 for row in rows)
    return [f"{empty} of {len(rows)} data sets with more than two classes"]


def losses():
    rows = stored("clustering/losses")["tasks"]
    same = sum(row["ARI with MMC"] > 99 for row in rows)
    tasks = {row["data"] for row in rows}
    means = averaged(rows, ["loss"], ["ARI", "MMC, ARI"])
    nmi, rand, f = (row["ARI"] for row in means)
    return [
        f"in {same} of {len(rows)} fits on {len(tasks)} data sets",
        f"with the classes is {means[0]['MMC, ARI']}, and {nmi}, {rand} and {f} with NMI",
    ]


def known_labels():
    gains = [
        line[OURS]["accuracy"] - line["LogisticRegression"]["accuracy"]
        for line in by_method(CONFIRMING, ["known", "task", "form"])
    ]
    ahead, behind = ([gain for gain in gains if sign * gain > 0] for sign in (1, -1))
    tasks = {(row["task"], row["form"]) for row in CONFIRMING}
    return [
        f"means over {len(tasks)} tasks that played no part in any choice",
        f"ahead of `LogisticRegression` in {len(ahead)} of {len(gains)} cases, by "
        f"{np.mean(ahead):.1f} points in the mean, and behind in {len(behind)}, by "
        f"{-np.mean(behind):.1f}.",
    ]


def test_with_known_labels_the_mean_is_the_highest():
    for rows in grouped(CONFIRMING, ["known"]).values():
        accuracy = means(rows, "accuracy")
        assert max(accuracy, key=accuracy.get) == OURS


@pytest.mark.parametrize(
    "source", [other_clusterers, how_many, empty_clusters, losses, known_labels]
)
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("mmc.md"), figure
