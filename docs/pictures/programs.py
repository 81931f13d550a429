"""Integer programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from structsvm.displays.drawing import new_figure
from structsvm.problems import IntegerProgramSVM

EXAMPLES = Path(__file__).parents[1] / "examples"


def tracks() -> Any:
    """Cells of a synthetic movie, linked to the nearest ones and by an integer program."""
    sys.path.insert(0, str(EXAMPLES))
    import tracking

    movie, seen = tracking.movie(1), tracking.movie(0)
    svm = IntegerProgramSVM(C=1000.0).fit([tracking.program(seen)], [tracking.truth(seen)])
    program = tracking.links(movie, svm.predict([tracking.program(movie)])[0])
    true = tracking.links(movie, tracking.truth(movie))
    figure = new_figure(5, 6)
    panels = {"nearest neighbours": _nearest(movie), "IntegerProgramSVM": program}
    for ax, (name, found) in zip(figure.subplots(2, 1, sharex=True), panels.items(), strict=True):
        f1 = 2 * len(found & true) / (len(found) + len(true))
        ax.set(title=f"{name}: F1 of links {f1:.2f}", ylabel="place", yticks=[])
        _draw_links(ax, movie, found, true)
    figure.axes[1].set_xlabel("frame")
    figure.axes[1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=4, columnspacing=1)
    return figure


def _nearest(movie: Any) -> set[tuple[int, int]]:
    """Each detection with the nearest one in the frame before."""
    found = set()
    for j in np.flatnonzero(movie.frame > 0):
        before = np.flatnonzero(movie.frame == movie.frame[j] - 1)
        distances = np.linalg.norm(movie.points[before] - movie.points[j], axis=1)
        found.add((int(before[distances.argmin()]), int(j)))
    return found


def _draw_links(ax: Any, movie: Any, found: Any, true: Any) -> None:
    lines = (
        ("right", found & true, "-", "C0"),
        ("wrong", found - true, "-", "tab:red"),
        ("missed", true - found, ":", "C1"),
    )
    for label, links, style, colour in lines:
        for ends in map(list, sorted(links)):
            ax.plot(movie.frame[ends], movie.points[ends, 0], style, color=colour)
        ax.plot([], [], style, color=colour, label=label)
    clutter = movie.parent == -2
    ax.scatter(movie.frame[~clutter], movie.points[~clutter, 0], s=10, color="C0", zorder=3)
    ax.scatter(
        movie.frame[clutter],
        movie.points[clutter, 0],
        s=16,
        color="C5",
        marker="x",
        label="clutter",
    )
