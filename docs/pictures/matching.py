"""Matchings."""

from __future__ import annotations

from typing import Any

from benchmarks.store import stored
from structsvm.displays.drawing import BLUE, ORANGE, new_figure


def house() -> Any:
    """Errors of matching landmarks of a turning house against the distance of the frames."""
    (rows,) = (rows for title, rows in stored("matching/house").items() if "wrong" in title)
    figure = new_figure(5.5, 3.6)
    ax = figure.subplots()
    curves = {
        "equal, contexts": ("--", BLUE, "equal weights"),
        "learned, contexts": ("-", BLUE, "learned weights"),
        "equal, contexts and graph": ("--", ORANGE, "equal weights, with the graph"),
        "learned, contexts and graph": ("-", ORANGE, "learned weights, with the graph"),
        "quadratic, equal": (":", "0.4", "quadratic assignment"),
    }
    for column, (style, colour, label) in curves.items():
        ax.plot([r["k"] for r in rows], [r[column] for r in rows], style, color=colour, label=label)
    ax.set(xlabel="frames apart", ylabel="fraction of landmarks wrong", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    return figure
