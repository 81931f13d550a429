"""The tables of docs/label_sets.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table


def estimators(content: Content, title: str) -> list[Row]:
    """Hamming loss, F1 and seconds on one set, with defaults."""
    return [
        {
            "": row["estimator"].replace("(", " of ").rstrip(")"),
            "Hamming": f"{row['Hamming']:.3f}",
            "F1": f"{row['F1']:.3f}",
            "CPU s": f"{row['CPU s']:.1f}",
        }
        for row in content[title]
        if row["chosen"] == "default"
    ]


TABLES = {
    "label-sets-scenes": Table(estimators, "label_sets/yeast_scene", title="scene"),
    "label-sets-genes": Table(estimators, "label_sets/yeast_scene", title="yeast"),
}
