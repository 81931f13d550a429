"""Training times."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.tables.pages import TABLES
from structsvm.displays.drawing import new_figure


def speed() -> Any:
    """The CPU time of ours in multiples of the other's, for each task."""
    rows = TABLES["speed-overview"].rows()[::-1]
    ratios = np.array([float(row["ratio"]) for row in rows])
    names = [
        f"{row['trained'].replace(' of ', ', ')}: {row['other'].split(', ')[1]}" for row in rows
    ]
    figure = new_figure(5.0, 4.6)
    ax = figure.subplots()
    colours = np.where(ratios <= 1, "C0", "C1")
    ax.barh(names, np.log10(ratios), height=0.6, color=colours)
    ax.axvline(0, color="C5", linewidth=1)
    ax.set_xticks([-2, -1, 0], ["1/100", "1/10", "equal"])
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.set(xlabel="our CPU time / theirs", xlim=(-2.4, 0.6))
    return figure
