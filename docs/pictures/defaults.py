"""The defaults beside the defaults of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.tables.pages import TABLES
from structsvm.displays.drawing import new_figure


def defaults() -> Any:
    """By how much ours is ahead of the best of the others, on data that chose nothing."""
    rows = TABLES["defaults-comparison"].rows()[::-1]
    names = [row[""] for row in rows]
    ahead = np.array([_number(row["ours"]) - _number(row["best other"]) for row in rows])
    figure = new_figure(5.0, 4.8)
    ax = figure.subplots()
    ax.barh(names, ahead, height=0.6, color=np.where(ahead >= 0, "C0", "C1"))
    ax.axvline(0, color="C5", linewidth=1)
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.set(xlabel="points ahead of the best other")
    return figure


def _number(cell: Any) -> float:
    """The mean that a cell of the table begins with."""
    return float(str(cell).replace(",", " ").split()[0])
