"""The table of CPM3C on docs/appendix/reproduction.md, ours and the paper's."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.cells import method_row
from benchmarks.tables.table import Table

RESULTS = "reproduction/cpm3c"
#: The results of the sets in the table.
TITLES = (
    *("two clusters", "more clusters", "texts in more clusters", "45 digit pairs"),
    "paper's protocol",
)
METHODS = {"paper's protocol": "protocol", "without labels": "default", "k-means": "k-means"}
#: Accuracy of CPM3C in percent, as printed in tables 2 and 3.
PAPER = {
    "digits 3v8": 96.92, "digits 1v7": 100.0, "digits 2v7": 100.0, "digits 8v9": 97.74,
    "letter AvB": 94.47, "satellite": 98.48, "text-1": 95.00, "text-2": 96.28,
    "45 digit pairs": 99.38, "digits 0689": 96.63, "digits 1279": 94.01, "rec": 70.63,
    "webkb cornell": 71.95, "webkb texas": 69.29, "webkb washington": 77.96,
    "webkb wisconsin": 73.88,
}  # fmt: skip


def accuracy(content: Content) -> list[Row]:
    """Accuracy in percent; a dash where a grid was not run."""
    rows = [row for title in TITLES for row in content[title]]
    return [
        {"": name, "paper": f"{paper:.2f}"}
        | {
            column: f"{row['accuracy']:.2f}" if (row := method_row(rows, name, method)) else "-"
            for column, method in METHODS.items()
        }
        for name, paper in PAPER.items()
    ]


TABLES = {"cpm3c": Table(accuracy, RESULTS)}
