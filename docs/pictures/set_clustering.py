"""Supervised clustering."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from pandas import DataFrame
from scipy.stats import rankdata

from benchmarks.tables.pairwise import TEXTS, partitions_and_pairs
from structsvm.displays.drawing import BLUE, ORANGE, new_figure
from structsvm.problems import CorrelationClustering, PairTable, SupervisedKMeans

COLOURS = np.array([BLUE, ORANGE, (0.2, 0.55, 0.25), (0.55, 0.3, 0.6)])
#: Four records in the picture, and the numbers of their pairs.
PLACES = {"v": (0, 1), "w": (0.6, 0), "x": (2.4, 0), "y": (3, 1)}
LABELS = {
    "vw": (0.1, 0.4), "xy": (2.9, 0.4), "wx": (1.5, 0.03),
    "vy": (1.5, 1.03), "vx": (0.85, 0.7), "wy": (2.15, 0.7),
}  # fmt: skip


def similarity() -> Any:
    """The similarities of a new set of items, with equal and with learned weights."""
    X, y = zip(*map(_drawn, range(5)), strict=True)
    model = SupervisedKMeans().fit(X[:4], y[:4])
    order = np.argsort(y[4])
    panels = {"equal weights": X[4] @ X[4].T, "learned weights": model.similarity(X[4])}
    figure = new_figure(5, 5.6)
    for ax, (title, K) in zip(figure.subplots(2, 1), panels.items(), strict=True):
        ax.imshow(_shaded(K[np.ix_(order, order)]), interpolation="nearest")
        ax.set(xticks=[], yticks=[10, 30, 50], yticklabels=["cluster 0", "1", "2"], title=title)
    return figure


def _drawn(seed: int) -> tuple[Any, Any]:
    """Sixty items: three features tell the cluster, twelve are noise."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(60) % 3
    return np.hstack([np.eye(3)[y], rng.normal(size=(60, 12))]), y


def _shaded(K: Any) -> Any:
    """An image of the ranks of all pairs: the more similar, the more colour."""
    rank = rankdata(K).reshape(K.shape) / K.size
    return np.dstack([np.broadcast_to(to_rgb("#3b82c4"), (*K.shape, 3)), rank**2])


def collections() -> Any:
    """The loss on collections that are held out, by what the similarity was learned from."""
    found = {name: partitions_and_pairs(name) for name in TEXTS}
    figure = new_figure(5, 2.8)
    ax = figure.subplots()
    for place, losses in enumerate(found.values()):
        ax.plot(list(losses.values()), [place] * len(losses), color="C5", alpha=0.6)
    styles = {"partitions": ("C0", "D"), "pairs": ("C1", "s"), "equal weights": ("C5", "o")}
    for name, (colour, marker) in styles.items():
        x = [losses[name] for losses in found.values()]
        ax.scatter(x, range(len(x)), c=colour, s=36, marker=marker, label=name)
    ax.set_yticks(range(len(TEXTS)), list(TEXTS.values()))
    ax.set(xlabel="loss on the set held out, percent")
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def records() -> Any:
    """Four records with the learned similarities of their pairs: components, and clusters."""
    pairs = [("v", "w", 0.9, 0.9), ("w", "x", 0.8, 0.6), ("x", "y", 0.9, 0.9)]
    pairs += [("v", "x", 0.3, 0.1), ("v", "y", 0.2, 0.1), ("w", "y", 0.3, 0.2)]
    model = CorrelationClustering().fit(*_known_records())
    similarity = {(a, b): model.coef_ @ [name, address, 1] for a, b, name, address in pairs}
    similar = {pair: value for pair, value in similarity.items() if value > 0}
    figure = new_figure(5, 5)
    above, below = figure.subplots(2, 1)
    above.set_title("components of similar pairs: one person")
    _draw_records(above, similar, dict.fromkeys("vwxy", 0))
    below.set_title("all pairs: two people")
    _draw_records(below, similarity, model.predict(_table(pairs)))
    return figure


def _known_records() -> tuple[PairTable, dict[str, int]]:
    pairs = [("ann 1", "ann 2", 0.9, 1), ("ann 1", "anna", 0.7, 0), ("ann 2", "anna", 0.7, 0)]
    pairs += [("bo 1", "bo 2", 1, 0.9), ("bo 1", "bob", 0.6, 0.8), ("bo 2", "bob", 0.7, 0.9)]
    return _table(pairs), {"ann 1": 1, "ann 2": 1, "anna": 2, "bo 1": 3, "bo 2": 3, "bob": 3}


def _table(pairs: list[tuple[Any, ...]]) -> PairTable:
    frame = DataFrame(pairs, columns=["left", "right", "name", "address"])
    return PairTable(frame, ids=("left", "right"))


def _draw_records(ax: Any, similarity: dict[tuple[str, str], float], clusters: Any) -> None:
    for (a, b), value in similarity.items():
        ends = np.array([PLACES[a], PLACES[b]])
        together = clusters[a] == clusters[b]
        colour = "C2" if value > 0 else "C5"
        ax.plot(*ends.T, "-" if together else ":", color=colour, linewidth=2, zorder=0)
        ax.text(*LABELS[a + b], f"{value:+.0f}", ha="center", va="bottom", color=colour)
    for name, (x, y) in PLACES.items():
        ax.scatter(x, y, s=200, color=f"C{clusters[name]}")
        ax.text(x + np.copysign(0.15, x - 1.5), y, name, ha="center", va="center", fontsize=12)
    ax.set(xlim=(-0.3, 3.3), ylim=(-0.2, 1.2))
    ax.axis("off")
