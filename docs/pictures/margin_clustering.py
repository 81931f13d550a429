"""Maximum margin clustering."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps

from benchmarks.store import stored
from structsvm.displays.drawing import new_figure


def calibration() -> Any:
    """The fraction of correct rows against their confidence, by data set."""
    rows = stored("reproduction/bayesian_mmc")["calibration"]
    figure = new_figure(5, 3.6)
    ax = figure.subplots()
    ax.plot([0.5, 1], [0.5, 1], color="0.7")
    for number, name in enumerate(dict.fromkeys(row["data"] for row in rows)):
        found = [row for row in rows if row["data"] == name]
        x, y = ([row[key] for row in found] for key in ("confidence", "right"))
        colour = colormaps["tab10"](number)
        ax.plot(x, y, "o-", color=colour, markersize=3, linewidth=1, label=name)
    ax.set(xlabel="confidence", ylabel="fraction correct")
    ax.legend(frameon=False, fontsize=7)
    return figure


def time_against_n() -> Any:
    """CPU time of CPM3C against the number of rows."""
    rows = stored("reproduction/cpm3c")["growth with n"]
    figure = new_figure(5, 3.6)
    ax = figure.subplots()
    for k, colour in ((2, "C0"), (4, "C1")):
        found = [row for row in rows if row["clusters"] == k]
        n = np.array([row["n"] for row in found])
        for column, line, name in (
            ("CPU s", "o-", "a fit"),
            ("one start, CPU s", "s--", "a start"),
        ):
            seconds = [row[column] for row in found]
            ax.loglog(n, seconds, line, color=colour, label=f"{k} clusters, {name}")
    ax.loglog(n, 2e-5 * n, "k:", label="proportional to n")
    ax.set(xlabel="rows n", ylabel="CPU seconds")
    ax.legend(fontsize="small")
    return figure


def time_against_tol() -> Any:
    """CPU time and accuracy of CPM3C against the relative gap at which a fit stops."""
    rows = stored("reproduction/cpm3c")["tolerance"]
    figure = new_figure(8, 3.4)
    time, accuracy = figure.subplots(1, 2)
    for name in dict.fromkeys(row["data"] for row in rows):
        found = [row for row in rows if row["data"] == name]
        tol = [row["tol"] for row in found]
        time.loglog(tol, [row["CPU s"] for row in found], marker=".", label=name)
        accuracy.semilogx(tol, [row["accuracy"] for row in found], marker=".")
    time.set(xlabel="tol", ylabel="CPU seconds of a fit, 10 starts")
    accuracy.set(xlabel="tol", ylabel="accuracy, percent")
    time.legend(fontsize="x-small", loc="lower left")
    return figure
