"""Papers reproduced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.store import Content, stored
from benchmarks.tables import bayesian, cpm3c, kmeans, multivariate, sdp
from benchmarks.tables.table import beside
from structsvm.displays.drawing import new_figure

#: The paper's figure and ours, in percent, larger being better.
Points = list[tuple[float, float]]


def _cpm3c(content: Content) -> Points:
    """Rand indices of the defaults."""
    return [(100 * row["RI"], 100 * row["default, RI"]) for row in cpm3c.sets(content)]


def _multivariate(content: Content) -> Points:
    """Rand indices of the defaults, trained for the Rand index."""
    rows = multivariate.sets(content, "RI")
    return [(100 * row["RI of the loss"], 100 * row["defaults rand, RI"]) for row in rows]


def _sdp(content: Content) -> Points:
    """Right rows by default, without labels and with ten."""
    return [
        (100 - beside(f"sdp_mmc_{title}")(row)["paper's SDP"], 100 - row["SDP"])
        for title in ("clusters", "labels")
        for row in content[title]
    ]


def _bayesian(content: Content) -> Points:
    """Right rows by default."""
    paper = beside("bayesian_mmc")
    return [
        (100 - paper(row)["paper's Bayesian"], 100 - row["Bayesian"]) for row in content["sets"]
    ]


def _kmeans(content: Content) -> Points:
    """100 less the loss of Iterative, where the paper's is legible and the set is the same."""
    return [
        (100 - paper["Iterative"], 100 - ours["Iterative"])
        for paper, ours in kmeans.webkb_pairs(content)
    ]


SHOWN: dict[str, tuple[Any, Callable[[Content], Points]]] = {
    "CPM3C": (cpm3c, _cpm3c),
    "MultivariateMMC": (multivariate, _multivariate),
    "SDPMMC": (sdp, _sdp),
    "BayesianMMC": (bayesian, _bayesian),
    "SupervisedKMeans": (kmeans, _kmeans),
}


def reproduction() -> Any:
    """Our results that no label of the data scored chose, against those that each paper prints."""
    figure = new_figure(4.5, 4.0)
    ax = figure.subplots()
    ax.plot([25, 100], [25, 100], color="C5", linewidth=1)
    for number, (name, (module, points)) in enumerate(SHOWN.items()):
        paper, ours = zip(*points(stored(module.RESULTS)), strict=True)
        color = f"C{number}"
        ax.plot(paper, ours, "osDv^"[number], color=color, markersize=5, alpha=0.8, label=name)
    ax.text(35, 53, "better")
    ax.text(72, 33, "worse than the paper")
    ax.set(xlabel="the paper, percent", ylabel="ours, percent")
    ax.legend(loc="upper left", frameon=False)
    return figure
