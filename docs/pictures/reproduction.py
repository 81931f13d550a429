"""Papers reproduced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.store import stored
from benchmarks.tables import bayesian, cpm3c, kmeans, multivariate, sdp
from benchmarks.tables.cells import method_row
from structsvm.displays.drawing import new_figure

#: The paper's figure and ours, in percent, larger being better.
Points = list[tuple[float, float]]


def _cpm3c() -> Points:
    """Rand indices of the defaults."""
    content = stored(cpm3c.RESULTS)
    rows = {name: cpm3c.found(content, name, "default") for name in cpm3c.PAPER}
    return [(100 * cpm3c.PAPER[name][0].rand, 100 * row["RI"]) for name, row in rows.items() if row]


def _multivariate() -> Points:
    """Rand indices of the defaults, trained for the Rand index."""
    rows = stored(multivariate.RESULTS)["defaults"]
    ours = [method_row(rows, name, "rand") for name in multivariate.ORDER]
    printed = multivariate.PAPER["RI"][1]
    return [(100 * p, 100 * row["RI"]) for p, row in zip(printed, ours, strict=True) if row]


def _sdp() -> Points:
    """Right rows by default, without labels and with ten."""
    content = stored(sdp.RESULTS)
    tables = (content["clusters"], sdp.CLUSTERS), (content["labels"], sdp.LABELS)
    return [
        (100 - paper[row["data"]][0], 100 - row["SDP"]) for rows, paper in tables for row in rows
    ]


def _bayesian() -> Points:
    """Right rows by default."""
    rows = stored(bayesian.RESULTS)["sets"]
    return [(100 - bayesian.PAPER[row["data"]].bayesian, 100 - row["Bayesian"]) for row in rows]


def _kmeans() -> Points:
    """100 less the loss of Iterative, where the paper's is legible and the set is the same."""
    content = stored(kmeans.RESULTS)
    return [
        (100 - kmeans.PAPER[name][held][0], 100 - kmeans.loss_of(content, ours, held, "Iterative"))
        for name, ours in kmeans.WEBKB.items()
        for held in kmeans.PAPER[name]
    ]


SHOWN: dict[str, Callable[[], Points]] = {
    "CPM3C": _cpm3c,
    "MultivariateMMC": _multivariate,
    "SDPMMC": _sdp,
    "BayesianMMC": _bayesian,
    "SupervisedKMeans": _kmeans,
}


def reproduction() -> Any:
    """Our results that no label of the data scored chose, against those that each paper prints."""
    figure = new_figure(4.5, 4.0)
    ax = figure.subplots()
    ax.plot([25, 100], [25, 100], color="C5", linewidth=1)
    for number, (name, points) in enumerate(SHOWN.items()):
        paper, ours = zip(*points(), strict=True)
        color = f"C{number}"
        ax.plot(paper, ours, "osDv^"[number], color=color, markersize=5, alpha=0.8, label=name)
    ax.text(35, 53, "better")
    ax.text(72, 33, "worse than the paper")
    ax.set(xlabel="the paper, percent", ylabel="ours, percent")
    ax.legend(loc="upper left", frameon=False)
    return figure
