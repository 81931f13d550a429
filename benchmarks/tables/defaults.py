"""The tables of docs/appendix/defaults.md, and of C with a prior."""

from __future__ import annotations

import numpy as np

from benchmarks.averages import averaged, with_spread
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, cell, filled, lines, slashed

#: The classifiers, as the page and as the results name them.
CLASSIFIERS = {"ours": "MulticlassSVM", "SVC": "LinearSVC", "logistic": "LogisticRegression"}
BALANCED = (
    "LinearSVC",
    "LinearSVC, balanced",
    "LogisticRegression",
    "LogisticRegression, balanced",
)
#: What features are, in the order of the pages.
KINDS = ("standardised", "raw", "0 and 1", "tf-idf", "counts")
#: Measures and problems, as the results and as the page name them.
NAMES = {
    **{"f1": "F1", "roc_area": "ROC area", "prbep": "break-even", "error": "accuracy"},
    **{"Chain": "labels of Chain", "RocAreaProblem": "ROC area"},
}
#: The contenders on few positive rows, as the page and as the results name them.
FEW_POSITIVE = {
    "ours": "MultivariateSVM",
    "balanced": "LinearSVC, balanced",
    "SVC": "LinearSVC, threshold",
    "logistic": "LogisticRegression, threshold",
}
#: The forms of the features, as the results name them.
FORMS = ("multiplied", "moved", "standardised")
#: The ways of training, as the page and as the results name them.
PRIOR = {
    **{"source": "source", "alone": "alone"},
    **{"C": "C · 1", "0.1\u00a0C": "C · 0.1", "0.03\u00a0C": "C · 0.03"},
}


def with_digit(columns: dict[str, str]) -> dict[str, str]:
    return {name: f"{{{key}:.1f}}" for name, key in columns.items()}


def comparison(
    classifiers: Content,
    structures: Content,
    sequences: Content,
    measures: Content,
    clusterers: Content,
) -> list[Row]:
    """Return means over the confirming sets: ours, and the best alternative."""
    unlearned = ("KMeans", "average linkage")
    return [
        *_beside(classifiers, "accuracy, {form}", *CLASSIFIERS.values()),
        *_beside(measures, "{measure}, {form}", "MultivariateSVM", *BALANCED),
        *_beside(structures, "{problem}", "StructuredSVM", *BALANCED[::2]),
        *_beside(sequences, "labels", "ChainSVM", "CRFsuite", *BALANCED[::2]),
        *_beside(clusterers, RAND, "SupervisedKMeans", "pairs, Iterative", *unlearned),
        *_beside(clusterers, RAND, "CorrelationClustering", "pairs, greedy", *unlearned),
    ]


RAND = "adjusted Rand, {form}"


def _beside(content: Content, what: str, ours: str, *others: str) -> list[Row]:
    """A line for all that agree in the columns that ``what`` has."""
    held = "the comparison" if "the comparison" in content else f"{ours}, the comparison"
    by = [column for column in ("measure", "problem", "form") if f"{{{column}}}" in what]
    found = []
    for row in averaged(content[held], by):
        named = row | {column: NAMES.get(row[column], row[column]) for column in by}
        best = max(others, key=lambda name: np.mean(row[name]))
        found.append({
            "": f"{ours}: {cell(what, named)}",
            "ours": _text(row[ours]),
            "best other": f"{_text(row[best])}, {best}",
        })  # fmt: skip
    return found


def _text(value: float | list[float]) -> str:
    return with_spread(value) if np.ndim(value) else f"{value:.1f}"


def kinds(content: Content) -> list[Row]:
    """Return the mean accuracy on the sets of the comparison, by the kind of features."""
    found = averaged(content["the comparison"], ["kind"])
    found.sort(key=lambda row: KINDS.index(row["kind"]))
    return filled(found, {"features": "{kind}", "sets": "{sets}"} | with_digit(CLASSIFIERS))


def few_positive(content: Content) -> list[Row]:
    """Return the mean F1 on sets with few positive rows, by the use of the sets."""
    return [
        line
        for where in ("choice", "comparison")
        for line in filled(
            averaged(content[f"few positive rows, {where}"], ["form"]),
            {"sets, form": f"{{sets}} of the {where}, {{form}}"} | with_digit(FEW_POSITIVE),
        )
    ]


def cross_validation(content: Content) -> list[Row]:
    """Mean score by the family and the way to choose C, and the time relative to the default."""
    shown: dict[str, Row] = {}
    for row in averaged(content["every set"], ["family", "C"]):
        line = shown.setdefault(row["family"], {"family, sets": cell("{family}, {sets}", row)})
        texts = [cell(text, row) for text in ("{score:.1f}", "{time:.1f}")]
        line[row["C"]] = texts[0] if row["C"] == "default" else slashed(*texts)
    return list(shown.values())


TABLES = {
    "defaults-comparison": Table(
        comparison,
        *("defaults/classifiers", "defaults/structures", "defaults/sequences"),
        *("defaults/measures", "defaults/clusterers"),
    ),
    "defaults-kinds": Table(kinds, "defaults/classifiers"),
    "defaults-candidates": Table(
        lines,
        "defaults/classifiers",
        title="candidates",
        columns={name: f"{{{name}}}" for name in ("C", *KINDS)},
    ),
    "defaults-few-positive": Table(few_positive, "defaults/measures"),
    "defaults-cross-validation": Table(cross_validation, "defaults/cross_validation"),
    "defaults-units": Table(
        lines,
        "defaults/units",
        title="scores",
        columns={"estimator, data": "{estimator}, {data}"}
        | {
            name: slashed(*(f"{{{name}, {form}:.1f}}" for form in FORMS))
            for name in ("ours", "other")
        },
    ),
    "defaults-prior": Table(
        lines,
        "defaults/prior",
        title="accuracy",
        columns={"task, n": "{task}, {labelled}"} | with_digit(PRIOR),
    ),
}
