"""The defaults beside the defaults of others."""

from __future__ import annotations

from typing import Any

from benchmarks.tables.pages import TABLES
from structsvm.displays.drawing import new_figure


def defaults() -> Any:
    """Mean scores on data that chose nothing: ours and the best of the others."""
    rows = TABLES["defaults-comparison"].rows()[::-1]
    names = [f"{row['ours']}: {row['score']}" for row in rows]
    figure = new_figure(5.0, 5.0)
    ax = figure.subplots()
    for column, marker, label in (("mean", "o", "ours"), ("best other", "D", "best other")):
        scores = [float(str(row[column]).replace(",", " ").split()[0]) for row in rows]
        colour = "C0" if column == "mean" else "C1"
        ax.plot(scores, names, marker, color=colour, markersize=5, label=label)
    ax.grid(axis="y", color="C5", alpha=0.25, linewidth=0.5)
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.set(xlabel="mean score, percent", xlim=(20, 95))
    figure.legend(loc="outside upper right", ncols=2)
    return figure
