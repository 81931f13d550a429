"""The tables of docs/label_sets.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

MEASURES = ("Hamming", "F1", "micro F1", "macro F1")


def estimators(content: Content, title: str) -> list[Row]:
    """The table of a set: with defaults, and with C by Hamming loss and by F1."""
    lines: dict[str, Row] = {}
    for row in content[title]:
        line = lines.setdefault(row["estimator"], {"": row["estimator"]})
        if row["chosen"] == "default":
            line |= {name: f"{row[name]:.3f}" for name in MEASURES}
            line["CPU s"] = f"{row['CPU s']:.1f}"
        else:
            name = row["chosen"].removeprefix("by ")
            line[f"{name}, C chosen"] = f"{row[name]:.3f}"
    return list(lines.values())


def defaults(content: Content, measure: str) -> list[Row]:
    """One measure, with a column for each set."""
    lines: dict[str, Row] = {}
    for row in content["cross-validated"]:
        line = lines.setdefault(row["trained"], {"": row["trained"]})
        line[row["data"]] = f"{row[measure]:.4f}"
    return list(lines.values())


TABLES = {
    "label-sets-scene": Table(estimators, "label_sets/yeast_scene", title="scene"),
    "label-sets-yeast": Table(estimators, "label_sets/yeast_scene", title="yeast"),
    "label-sets-defaults-hamming": Table(defaults, "label_sets/defaults", measure="Hamming"),
    "label-sets-defaults-f1": Table(defaults, "label_sets/defaults", measure="F1"),
}
