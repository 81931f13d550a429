"""The tables of docs/appendix/defaults.md, and of C with a prior."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.averages import averaged, spread
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, lines, slashed

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
STRUCTURES = ["StructuredSVM", "LinearSVC", "LogisticRegression"]
STRUCTURE_NAMES = {"Chain": "labels of Chain", "RocAreaProblem": "ROC area"}
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

#: The forms of the features, as the results name them.
FORMS = ("multiplied", "moved", "standardised")
SCORED = ("ours", "other")

#: The ways of training, as the page and as the results name them.
PRIOR = {
    **{"source": "source", "alone": "alone"},
    **{"C": "C · 1", "0.1\u00a0C": "C · 0.1", "0.03\u00a0C": "C · 0.03"},
}


def comparison(
    classifiers: Content,
    structures: Content,
    sequences: Content,
    measures: Content,
    clusterers: Content,
) -> list[Row]:
    """Means over the sets that chose nothing: ours beside the best of the others."""
    held = "the comparison"
    return [
        *_beside("accuracy", averaged(classifiers[held], ["form"], CLASSIFIERS), CLASSIFIERS),
        *_by_name(measures, "measure", MEASURES, MEASURE_NAMES),
        *_by_name(structures, "problem", STRUCTURES, STRUCTURE_NAMES),
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


def candidates(content: Content) -> list[Row]:
    """Mean accuracy on the sets of the choice, by C and by what the features are."""
    return [{name: row[name] for name in ("C", *KINDS)} for row in content["candidates"]]


def _by_name(
    content: Content, by: str, columns: Sequence[str], names: dict[str, str]
) -> Iterator[Row]:
    forms = ["form"] if by == "measure" else []
    for row in averaged(content["the comparison"], [by, *forms], columns):
        yield from _beside(names[row[by]], [row], columns)


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
    """Mean F1 on sets with few positive rows, by what the sets were used for."""
    rows = []
    for where in ("choice", "comparison"):
        means = averaged(content[f"few positive rows, {where}"], ["form"], list(FEW_POSITIVE))
        for row in means:
            first = {"sets, form": f"{row['sets']} of the {where}, {row['form']}"}
            rows.append(first | {shown: row[name] for name, shown in FEW_POSITIVE.items()})
    return rows


def cross_validation(content: Content) -> list[Row]:
    """Mean score by the family and the way to choose C, and the time relative to the default."""
    shown: dict[str, Row] = {}
    for row in averaged(content["every set"], ["family", "C"], ["score", "time"]):
        first = {"family, sets": f"{row['family']}, {row['sets']}"}
        default = row["C"] == "default"
        cell = f"{row['score']}" if default else slashed(f"{row['score']}", f"{row['time']}")
        shown.setdefault(row["family"], first)[row["C"]] = cell
    return list(shown.values())


TABLES = {
    "defaults-comparison": Table(
        comparison,
        *("defaults/classifiers", "defaults/structures", "defaults/sequences"),
        *("defaults/measures", "defaults/clusterers"),
    ),
    "defaults-kinds": Table(kinds, "defaults/classifiers"),
    "defaults-candidates": Table(candidates, "defaults/classifiers"),
    "defaults-few-positive": Table(few_positive, "defaults/measures"),
    "defaults-cross-validation": Table(cross_validation, "defaults/cross_validation"),
    "defaults-units": Table(
        lines,
        "defaults/units",
        title="scores",
        columns={"estimator, data": "{estimator}, {data}"}
        | {name: slashed(*(f"{{{name}, {form}:.1f}}" for form in FORMS)) for name in SCORED},
    ),
    "defaults-prior": Table(
        lines,
        "defaults/prior",
        title="accuracy",
        columns={"task, n": "{task}, {labelled}"}
        | {name: f"{{{key}:.1f}}" for name, key in PRIOR.items()},
    ),
}
