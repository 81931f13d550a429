"""The tables of docs/programs.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain, short

DIGITS = {"F1": 3, "standard error": 3, "least F1": 3, "TRA": 3, "CPU s": 2}
SPEED = "speed/programs_and_matchings"


def tracking(content: Content) -> list[Row]:
    return [
        {"annotated": f"{row['annotated']:.0%}", "weights": row["weights"]}
        | {name: f"{row[name]:.{d}f}" if name in row else "" for name, d in DIGITS.items()}
        for row in content["tracking"]
    ]


TABLES = {
    "programs-tracking": Table(tracking, "programs/cell_tracking"),
    "programs-oracle": Table(
        plain, SPEED, title="IntegerProgram beside scipy.optimize.milp", text=short
    ),
    "programs-refined": Table(
        plain, SPEED, title="Training of IntegerProgram without and with local search", text=short
    ),
}
