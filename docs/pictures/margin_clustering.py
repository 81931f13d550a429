"""Maximum margin clustering."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_wine, make_moons
from sklearn.metrics import silhouette_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.preprocessing import StandardScaler

from benchmarks.store import stored
from benchmarks.tables.clustering import DEFAULTS, by_kind
from structsvm.datasets import digits, plane
from structsvm.displays.drawing import RED, new_figure
from structsvm.features import DiffusionMap
from structsvm.problems import CPM3C, SDPMMC, BayesianMMC

GREY = (0.5, 0.5, 0.5)
COLOURS = np.array([to_rgb("#3b82c4"), to_rgb("#d9730d")])


def ten_digits() -> Any:
    """Digits drawn from each of ten clusters; in red those of another digit than their cluster."""
    X, y = digits()
    found = {
        "k-means": KMeans(10, n_init=10, random_state=0).fit_predict(X),
        "CPM3C": CPM3C(10, random_state=0).fit_predict(X),
    }
    figure = new_figure(5, 6.2)
    for ax, (name, clusters) in zip(figure.subplots(2, 1), found.items(), strict=True):
        digit = _matched(y, clusters)[clusters]
        wrong = digit != y
        ax.imshow(_rows_of_images(X.reshape(-1, 8, 8), digit, wrong), interpolation="nearest")
        ax.set_title(f"{name}: {wrong.sum()} of {len(y)} in the wrong cluster")
        ax.axis("off")
    return figure


def _matched(y: Any, clusters: Any) -> Any:
    """The digit of each cluster, each digit once."""
    return linear_sum_assignment(-contingency_matrix(y, clusters).T)[1]


def _rows_of_images(images: Any, digit: Any, wrong: Any, n_columns: int = 16) -> Any:
    """An image of a row for each digit, of images drawn from its cluster."""
    rng = np.random.default_rng(0)
    sheet = np.zeros((10 * 9, n_columns * 9, 4))
    for row in range(10):
        for column, i in enumerate(rng.choice(np.flatnonzero(digit == row), n_columns, False)):
            place = np.s_[9 * row : 9 * row + 8, 9 * column : 9 * column + 8]
            ink = images[i] / images.max()
            sheet[place][..., :3] = RED if wrong[i] else GREY
            sheet[place][..., 3] = 1 - ink if wrong[i] else ink
    return sheet


def clusters_by_kind() -> Any:
    """The adjusted Rand index of our default and of others, by the kind of data."""
    means = by_kind(stored(DEFAULTS)["tasks"], "ARI")
    figure = new_figure(5, 3.2)
    ax = figure.subplots()
    for place, (name, colour) in enumerate(
        {"k-means": "C5", "spectral": "C1", "structsvm": "C0"}.items()
    ):
        places = np.arange(len(means)) + 0.27 * (place - 1)
        ax.bar(
            places, [of_kind[name] for of_kind in means.values()], 0.25, color=colour, label=name
        )
    ax.set_xticks(range(len(means)), list(means))
    ax.set(ylabel="adjusted Rand index, percent")
    ax.legend()
    return figure


def silhouettes() -> Any:
    """The silhouette of several numbers of clusters, in diffusion coordinates."""
    wines = StandardScaler().fit_transform(load_wine(return_X_y=True)[0])
    sets = {"3 wines": wines} | {
        f"{n} digits": load_digits(n_class=n, return_X_y=True)[0] for n in (4, 7)
    }
    figure = new_figure(5, 3.2)
    ax = figure.subplots()
    numbers = range(2, 13)
    for name, X in sets.items():
        steps = DiffusionMap(numbers[-1]).fit_transform(X)[:, X.shape[1] :]
        ax.plot(numbers, [_silhouette(steps[:, : k - 1], k) for k in numbers], "o-", label=name)
    ax.set(xlabel="number of clusters", ylabel="silhouette", xticks=numbers)
    ax.legend()
    return figure


def _silhouette(steps: Any, k: int) -> float:
    return silhouette_score(steps, KMeans(k, n_init=5, random_state=0).fit_predict(steps))


def proved_and_probable() -> Any:
    """Clusters of rings with their bound, and of moons with their probabilities."""
    figure = new_figure(5, 6.4)
    above, below = figure.subplots(2, 1)
    X, _ = plane("circles")
    sdp = SDPMMC(random_state=0).fit(X)
    share = sdp.lower_bound_ / sdp.label_objective_
    above.set_title(f"SDPMMC: no labelling costs less than {share:.1%} of this one")
    _scatter(above, X, sdp.labels_)
    X, _ = make_moons(200, noise=0.08, random_state=0)
    bayes = BayesianMMC().fit(X)
    below.set_title("BayesianMMC: faint where the cluster is uncertain")
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    x, y = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 150))
    p = bayes.predict_proba(np.column_stack([x.ravel(), y.ravel()])).reshape(*x.shape, 2)
    shades = COLOURS[p.argmax(axis=2)]
    sure = 1.2 * (p.max(axis=2, keepdims=True) - 0.5)
    extent = (low[0], high[0], low[1], high[1])
    below.imshow(np.dstack([shades, sure]), origin="lower", extent=extent)
    _scatter(below, X, bayes.labels_)
    return figure


def _scatter(ax: Any, X: Any, labels: Any) -> None:
    for k, marker in enumerate("os"):
        ax.scatter(*X[labels == k].T, color=COLOURS[k], s=18, marker=marker)
    ax.set_aspect("equal")
    ax.axis("off")
