"""The tables of docs/appendix/defaults.md, and of C with a prior."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.averages import averaged, spread
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain

#: The collections, as the results and as the page name them.
COLLECTIONS = {"the choice": "choice", "the comparison": "comparison"}
CLASSIFIERS = ["MulticlassSVM", "LinearSVC", "LogisticRegression"]
MEASURES = [
    *("MultivariateSVM", "LinearSVC", "LinearSVC, balanced"),
    *("LogisticRegression", "LogisticRegression, balanced"),
]
STRUCTURES = ["StructuredSVM", "C by cross-validation", "LinearSVC", "LogisticRegression"]
SEQUENCES = ["ChainSVM", "CRFsuite", "LinearSVC", "LogisticRegression"]
K_MEANS = ["SupervisedKMeans", "pairs, Iterative", "KMeans", "average linkage"]
CORRELATION = ["CorrelationClustering", "pairs, greedy", "KMeans", "average linkage"]
#: Clusters too many, where their number is found.
EXCESS = [f"{name}, clusters too many" for name in CORRELATION[:2]]


def means(content: Content, by: Sequence[str], columns: Sequence[str]) -> list[Row]:
    """The means of both collections, one below the other."""
    return [
        {"collection": name} | row
        for where, name in COLLECTIONS.items()
        for row in averaged(content[where], by, columns)
    ]


def sets(
    content: Content, first: Sequence[str], columns: Sequence[str], title: str = "the comparison"
) -> list[Row]:
    """Some columns of every row, and the standard error."""
    shown = [*first, *columns, "standard error"]
    return [{name: row[name] for name in shown} for row in content[title]]


def without_sets(content: Content, title: str) -> list[Row]:
    """All columns but the number of sets."""
    return [_without_sets(row) for row in content[title]]


def _without_sets(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "sets"}


def clusterers(content: Content, columns: Sequence[str]) -> list[Row]:
    """The means of both collections, with the spread over the draws."""
    return [
        {"collection": name} | row
        for where, name in COLLECTIONS.items()
        for row in spread(content[f"{columns[0]}, {where}"], ["form"], columns)
    ]


def clusterers_by_set(content: Content, columns: Sequence[str]) -> list[Row]:
    return spread(content[f"{columns[0]}, the comparison"], ["data", "form"], columns)


def clusterers_by_size(
    content: Content, columns: Sequence[str], more: Sequence[str] = ()
) -> list[Row]:
    """The means over both collections by the number of items."""
    rows = [row for where in COLLECTIONS for row in content[f"{columns[0]}, {where}"]]
    return [_without_sets(row) for row in spread(rows, ["items"], [*columns, *more])]


TABLES = {
    "defaults-classifiers": Table(means, "defaults/classifiers", by=["form"], columns=CLASSIFIERS),
    "defaults-classifiers-sets": Table(
        sets, "defaults/classifiers", first=["data", "form"], columns=CLASSIFIERS
    ),
    "defaults-classifiers-choice": Table(
        sets,
        "defaults/classifiers",
        first=["data", "form"],
        columns=CLASSIFIERS,
        title="the choice",
    ),
    "defaults-classifiers-candidates": Table(
        plain, "defaults/classifiers", title="candidates", text=str
    ),
    "defaults-classifiers-factors": Table(without_sets, "defaults/classifiers", title="factors"),
    "defaults-measures": Table(
        means, "defaults/measures", by=["measure", "form"], columns=MEASURES
    ),
    "defaults-measures-candidates": Table(without_sets, "defaults/measures", title="candidates"),
    "defaults-structures": Table(means, "defaults/structures", by=["problem"], columns=STRUCTURES),
    "defaults-structures-sets": Table(
        sets, "defaults/structures", first=["data", "problem"], columns=STRUCTURES
    ),
    "defaults-structures-candidates": Table(
        without_sets, "defaults/structures", title="candidates"
    ),
    "defaults-sequences": Table(means, "defaults/sequences", by=[], columns=SEQUENCES),
    "defaults-sequences-sets": Table(sets, "defaults/sequences", first=["data"], columns=SEQUENCES),
    "defaults-tolerance": Table(plain, "defaults/tolerance", title="hinge", text="{:.1f}".format),
    "defaults-tolerance-log-loss": Table(
        plain, "defaults/tolerance", title="log loss", text="{:.1f}".format
    ),
    "defaults-prior": Table(plain, "defaults/prior", title="accuracy", text="{:.1f}".format),
    "defaults-log-loss": Table(plain, "defaults/log_loss", title="log loss", text="{:.1f}".format),
    "defaults-softmax-margin": Table(
        plain, "defaults/log_loss", title="softmax margin", text="{:.1f}".format
    ),
    "defaults-sequences-candidates": Table(
        plain, "defaults/sequences", title="candidates", text=str
    ),
    "defaults-k-means": Table(clusterers, "defaults/clusterers", columns=K_MEANS),
    "defaults-k-means-sets": Table(clusterers_by_set, "defaults/clusterers", columns=K_MEANS),
    "defaults-k-means-sizes": Table(clusterers_by_size, "defaults/clusterers", columns=K_MEANS),
    "defaults-correlation": Table(clusterers, "defaults/clusterers", columns=CORRELATION),
    "defaults-correlation-sets": Table(
        clusterers_by_set, "defaults/clusterers", columns=CORRELATION
    ),
    "defaults-correlation-sizes": Table(
        clusterers_by_size, "defaults/clusterers", columns=CORRELATION, more=EXCESS
    ),
}
