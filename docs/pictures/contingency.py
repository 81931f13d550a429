"""The contingency-table oracle."""

from __future__ import annotations

from typing import Any

from benchmarks.store import stored
from structsvm.displays.drawing import new_figure


def oracle_time() -> Any:
    """CPU time of both oracles against n."""
    figure = new_figure(4.8, 3.2)
    ax = figure.subplots()
    exact, scans = _tables()
    for number, loss in enumerate(("nmi", "rand", "f")):
        ax.loglog(*exact[loss], color=f"C{number}", label=loss)
        ax.loglog(*scans[loss], "--", color=f"C{number}")
    ax.plot([], [], color="C5", label="ours, O(n log n)")
    ax.plot([], [], "--", color="C5", label="scan of all tables, O(n²)")
    ax.set(xlabel="rows", ylabel="CPU seconds")
    figure.legend(loc="outside upper center", ncols=2)
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
