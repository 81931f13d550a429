"""The table of docs/label_sets.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

#: The sets, as the results and as the page name them.
DATA = {"scene": "scenes", "yeast": "genes"}


def estimators(content: Content) -> list[Row]:
    """Hamming loss, F1 and seconds with defaults, a column for each set."""
    lines: dict[str, Row] = {}
    for title, name in DATA.items():
        for row in content[title]:
            if row["chosen"] == "default":
                line = lines.setdefault(row["estimator"], {"": row["estimator"]})
                line[name] = f"{row['Hamming']:.3f}, {row['F1']:.3f}, {row['CPU s']:.1f} s"
    return list(lines.values())


TABLES = {"label-sets": Table(estimators, "label_sets/yeast_scene")}
