"""Rankings."""

from __future__ import annotations

from typing import Any

from benchmarks.store import stored
from structsvm.displays.drawing import BLUE, ORANGE, new_figure


def ranked() -> Any:
    """The mean average precision of rankings in each fold, and the mean over folds."""
    rows = stored("ranking/mq2008")["MQ2008"]
    figure = new_figure(6.5, 3.6)
    ax = figure.subplots()
    key = "MAP, chosen"
    for place, row in enumerate(reversed(rows)):
        colour = BLUE if row["method"].startswith("RankingSVM") else ORANGE
        folds = row[f"{key}, folds"]
        ax.plot(folds, [place] * len(folds), "o", color=colour, markersize=4, alpha=0.5)
        ax.plot(row[key], place, "|", color=colour, markersize=16, markeredgewidth=2)
    ax.set(xlabel="MAP of each fold, and the mean")
    ax.set_yticks(range(len(rows)), [row["method"] for row in reversed(rows)])
    return figure
