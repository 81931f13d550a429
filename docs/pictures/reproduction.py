"""Papers reproduced."""

from __future__ import annotations

from typing import Any

from benchmarks.tables.pages import TABLES
from structsvm.displays.drawing import new_figure

#: For each table its column of defaults, and whether it has errors in place of accuracies.
SHOWN = {
    "cpm3c": ("CPM3C", "without labels", False),
    "sdp": ("SDPMMC", "default", True),
    "bayesian": ("BayesianMMC", "without labels", True),
}


def reproduction() -> Any:
    """The accuracy of our defaults against the accuracy that each paper prints."""
    figure = new_figure(4.5, 4.0)
    ax = figure.subplots()
    ax.plot([50, 100], [50, 100], color="C5", linewidth=1)
    for number, (table, (name, column, errors)) in enumerate(SHOWN.items()):
        rows = TABLES[table].rows()
        paper, ours = ([float(row[key]) for row in rows] for key in ("paper", column))
        if errors:
            paper, ours = ([100 - value for value in values] for values in (paper, ours))
        ax.plot(paper, ours, "osD"[number], color=f"C{number}", markersize=5, label=name)
    ax.text(52, 88, "better than the paper")
    ax.text(76, 62, "worse")
    ax.set(xlabel="accuracy in the paper, percent", ylabel="our defaults, percent")
    figure.legend(loc="outside upper center", ncols=3)
    return figure
