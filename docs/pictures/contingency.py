"""The contingency-table oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.store import stored
from structsvm.displays.drawing import BLUE, ORANGE, new_figure

COLOURS = np.array([BLUE, ORANGE, (0.2, 0.55, 0.25), (0.55, 0.3, 0.6)])


def oracle_time() -> Any:
    """CPU time of both oracles against n."""
    figure = new_figure(5, 3.5)
    ax = figure.subplots()
    exact, scans = _tables()
    for colour, loss in zip(COLOURS, ("nmi", "rand", "f"), strict=False):
        ax.loglog(*exact[loss], color=colour, label=loss)
        ax.loglog(*scans[loss], "--", color=colour)
    ax.plot([], [], color="0.3", label="ours, O(n log n)")
    ax.plot([], [], "--", color="0.3", label="scan of all tables, O(n²)")
    ax.set(xlabel="rows", ylabel="CPU seconds")
    ax.legend(frameon=False)
    return figure


def _tables() -> tuple[dict[str, Any], dict[str, Any]]:
    """Sizes and times of the exact oracle and of the scan, by loss."""
    tables = stored("speed/oracle")
    compared, alone = (
        next(rows for title, rows in tables.items() if title.startswith(f"Two clusters: {start}"))
        for start in ("the exact", "CPU")
    )
    scans: dict[str, Any] = {}
    for row in compared:
        sizes, times = scans.setdefault(row["loss"], ([], []))
        sizes.append(row["n"])
        times.append(row["scan CPU s"])
    exact = {}
    for row in alone:
        columns = [name for name in row if name.startswith("n = ")]
        exact[row["loss"]] = [float(name[4:]) for name in columns], [row[c] for c in columns]
    return exact, scans
