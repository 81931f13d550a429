"""Matchings."""

from __future__ import annotations

from typing import Any

from benchmarks.store import stored
from benchmarks.tables.guides import HOUSE
from structsvm.displays.drawing import new_figure


def house() -> Any:
    """Errors of matching landmarks of a turning house against the distance of the frames."""
    rows = stored("matching/house")[HOUSE]
    figure = new_figure(5, 3.4)
    ax = figure.subplots()
    curves = {
        "equal, contexts": ("--", "C0", "equal weights"),
        "learned, contexts": ("-", "C0", "learned"),
        "equal, contexts and graph": ("--", "C1", "equal weights, with the graph"),
        "learned, contexts and graph": ("-", "C1", "learned, with the graph"),
        "quadratic, equal": (":", "C5", "quadratic assignment"),
    }
    for column, (style, colour, label) in curves.items():
        percent = [100 * row[column] for row in rows]
        ax.plot([row["k"] for row in rows], percent, style, color=colour, label=label)
    ax.set(xlabel="frames apart", ylabel="wrong landmarks, %", ylim=(0, None))
    ax.legend(fontsize=9)
    return figure
