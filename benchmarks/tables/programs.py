"""The tables of docs/programs.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table


def tracking(content: Content) -> list[Row]:
    return [
        {
            "annotated": f"{row['annotated']:.0%}",
            "weights": row["weights"],
            "F1": _with_error(row),
            "TRA": f"{row['TRA']:.3f}",
            "CPU s": f"{row['CPU s']:.2f}" if "CPU s" in row else "",
        }
        for row in content["tracking"]
    ]


def _with_error(row: Row) -> str:
    error = f" ± {row['standard error']:.3f}" if "standard error" in row else ""
    return f"{row['F1']:.3f}{error}"


TABLES = {"programs-tracking": Table(tracking, "programs/cell_tracking")}
