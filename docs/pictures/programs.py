"""Integer programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from structsvm.displays.drawing import BLUE, RED, new_figure
from structsvm.problems import IntegerProgramSVM

EXAMPLES = Path(__file__).parents[1] / "examples"


def tracks() -> Any:
    """Cells of a synthetic movie, linked by weights learned from half of another's annotation."""
    sys.path.insert(0, str(EXAMPLES))
    import tracking

    movie, seen = tracking.movie(1), tracking.movie(0)
    annotation = tracking.annotated(seen, 0.5, 0)
    svm = IntegerProgramSVM(C=1000.0).fit([tracking.program(seen)], [annotation])
    found = tracking.links(movie, svm.predict([tracking.program(movie)])[0])
    true = tracking.links(movie, tracking.truth(movie))
    figure = new_figure(7, 4)
    ax = figure.subplots()
    lines = (
        ("found", found & true, "-", BLUE),
        ("missed", true - found, "--", "0.4"),
        ("wrong", found - true, "-", RED),
    )
    for label, links, style, colour in lines:
        for number, ends in enumerate(map(list, links)):
            ax.plot(
                movie.frame[ends],
                movie.points[ends, 0],
                style,
                color=colour,
                label=None if number else label,
            )
    clutter = movie.parent == -2
    ax.scatter(movie.frame[~clutter], movie.points[~clutter, 0], s=12, color=BLUE, zorder=3)
    ax.scatter(
        movie.frame[clutter],
        movie.points[clutter, 0],
        s=14,
        color="0.6",
        marker="x",
        label="clutter",
    )
    ax.set(xlabel="frame", ylabel="first coordinate")
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure
