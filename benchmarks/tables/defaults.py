"""The tables of docs/appendix/defaults.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.averages import averaged, spread
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

CLASSIFIERS = ["MulticlassSVM", "LinearSVC", "LogisticRegression"]
#: The classifiers, as the results and as the page name them.
CLASSIFIERS_SHORT = dict(zip(CLASSIFIERS, ("ours", "SVC", "logistic"), strict=True))
#: What features are, in the order of the pages.
KINDS = ("standardised", "raw", "0 and 1", "tf-idf", "counts")
MEASURES = [
    *("MultivariateSVM", "LinearSVC", "LinearSVC, balanced"),
    *("LogisticRegression", "LogisticRegression, balanced"),
]
#: The measures, as the results and as the page name them.
MEASURE_NAMES = {"f1": "F1", "roc_area": "ROC area", "prbep": "break-even", "error": "accuracy"}
SEQUENCES = ["ChainSVM", "CRFsuite", "LinearSVC", "LogisticRegression"]
CLUSTERERS = {
    "SupervisedKMeans": ["pairs, Iterative", "KMeans", "average linkage"],
    "CorrelationClustering": ["pairs, greedy", "KMeans", "average linkage"],
}

#: The contenders on few positive rows, as the results and as the page name them.
FEW_POSITIVE = {
    "MultivariateSVM": "ours",
    "LinearSVC, balanced": "balanced",
    "LinearSVC, threshold": "SVC",
    "LogisticRegression, threshold": "logistic",
}


def comparison(
    classifiers: Content,
    sequences: Content,
    measures: Content,
    clusterers: Content,
) -> list[Row]:
    """Means over the sets that chose nothing: ours beside the best of the others."""
    held = "the comparison"
    return [
        *_beside("accuracy", averaged(classifiers[held], ["form"], CLASSIFIERS), CLASSIFIERS),
        *_of_measures(measures),
        *_beside("labels", averaged(sequences[held], [], SEQUENCES), SEQUENCES),
        *_of_clusterers(clusterers),
    ]


def kinds(content: Content) -> list[Row]:
    """Mean accuracy on the sets of the comparison, by what the features are."""
    means = averaged(content["the comparison"], ["kind"], CLASSIFIERS)
    by_kind = {row["kind"]: row for row in means}
    return [
        {"features": kind, "sets": by_kind[kind]["sets"]}
        | {shown: by_kind[kind][name] for name, shown in CLASSIFIERS_SHORT.items()}
        for kind in KINDS
    ]


def _of_measures(content: Content) -> Iterator[Row]:
    for row in averaged(content["the comparison"], ["measure", "form"], MEASURES):
        yield from _beside(MEASURE_NAMES[row["measure"]], [row], MEASURES)


def _of_clusterers(content: Content) -> Iterator[Row]:
    for ours, others in CLUSTERERS.items():
        rows = spread(content[f"{ours}, the comparison"], ["form"], [ours, *others])
        yield from _beside("adjusted Rand", rows, [ours, *others])


def _beside(what: str, rows: Sequence[Row], columns: Sequence[str]) -> Iterator[Row]:
    ours, *others = columns
    for row in rows:
        best = max(others, key=lambda name: float(str(row[name]).split()[0]))
        form = f", {row['form']}" if "form" in row else ""
        name, beside = f"{ours}: {what}{form}", f"{row[best]}, {best}"
        yield {"": name, "ours": row[ours], "best other": beside}


def few_positive(content: Content) -> list[Row]:
    """Mean F1 on sets with few positive rows."""
    means = averaged(content["few positive rows, comparison"], ["form"], list(FEW_POSITIVE))
    return [
        {"sets, form": f"{row['sets']}, {row['form']}"}
        | {shown: row[name] for name, shown in FEW_POSITIVE.items()}
        for row in means
    ]


TABLES = {
    "defaults-comparison": Table(
        comparison,
        *("defaults/classifiers", "defaults/sequences"),
        *("defaults/measures", "defaults/clusterers"),
    ),
    "defaults-kinds": Table(kinds, "defaults/classifiers"),
    "defaults-few-positive": Table(few_positive, "defaults/measures"),
}
