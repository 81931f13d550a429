"""Training by several jobs."""

from __future__ import annotations

from typing import Any

from benchmarks.store import stored
from docs.pictures.readings import BLUE, GREY
from structsvm.displays.drawing import new_figure

#: Works that are shown, by their names in the results.
WORKS = {
    "expensive oracle, OneSlackCuttingPlane": "oracle of 10 ms: OneSlackCuttingPlane",
    "expensive oracle, SmoothedCuttingPlane": "oracle of 10 ms: SmoothedCuttingPlane",
    "soft oracle, 6877 words, SmoothedLBFGS": "vectorised soft oracle, in threads: SmoothedLBFGS",
}


def two_jobs() -> Any:
    """Wall seconds of a fit by one job and by two."""
    rows = stored("speed/parallel")["Wall seconds of a fit, and the speed-up"]
    seconds = {(row["work"], row["where"]): row["second s"] for row in rows}
    figure = new_figure(5, 3)
    ax = figure.subplots()
    for place, (work, title) in enumerate(WORKS.items()):
        y = -3.4 * place
        ax.text(0, y + 0.85, title, va="center")
        for line, (where, colour) in enumerate({"1 job": GREY, "n_jobs=2": BLUE}.items()):
            time = seconds[work, where]
            ax.barh(y - line, time, color=colour, height=0.85)
            ax.text(time + 0.6, y - line, f"{where}: {time:.0f} s", va="center", color=colour)
    ax.set(xlim=(0, 56))
    ax.axis("off")
    return figure
