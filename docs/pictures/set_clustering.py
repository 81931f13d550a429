"""Supervised clustering."""

from __future__ import annotations

from functools import cache
from typing import Any

import networkx
import numpy as np
from sklearn.metrics.cluster import contingency_matrix

from structsvm.displays import SimilarityDisplay
from structsvm.displays.drawing import BLUE, ORANGE, new_figure
from structsvm.problems import SupervisedKMeans

COLOURS = np.array([BLUE, ORANGE, (0.2, 0.55, 0.25), (0.55, 0.3, 0.6)])


def similarity() -> Any:
    """Similarities of the pages of a held-out university, with equal and with learned weights."""
    collection, model = _learned_from_three_universities()
    X, y = collection.X, collection.y
    panels = {
        "equal weights": X[0].similarity(np.ones(X[0].n_features)),
        "learned": model.similarity(X[0]),
    }
    figure = new_figure(9, 4)
    for ax, (title, K) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        SimilarityDisplay(K, y[0]).plot(scale="rank", ax=ax)
        ax.set_title(title, fontsize=9)
    return figure


def links() -> Any:
    """The pages of one university, clustered by a model trained on three others."""
    collection, model = _learned_from_three_universities()
    labels = model.predict(collection.X[:1])[0]
    classes = np.unique(collection.y[0], return_inverse=True)[1]
    right = contingency_matrix(classes, labels).argmax(axis=0)[labels] == classes
    graph = collection.graphs[0].to_undirected()
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    shown = sorted(max(networkx.connected_components(graph), key=len))
    graph = graph.subgraph(shown)
    places = networkx.kamada_kawai_layout(graph)
    points = np.array([places[node] for node in shown])
    figure = new_figure(6.5, 5.5)
    ax = figure.subplots()
    for a, b in graph.edges:
        ax.plot(*np.array([places[a], places[b]]).T, color="0.85", linewidth=0.5, zorder=0)
    colours = np.vstack([COLOURS, [0.6, 0.6, 0.1]])[labels[shown]]
    for which, marker in ((right[shown], "o"), (~right[shown], "x")):
        ax.scatter(*points[which].T, c=colours[which], s=22, marker=marker, linewidths=1)
    ax.axis("off")
    return figure


@cache
def _learned_from_three_universities() -> Any:
    """WebKB of Sen et al. with links, and a model trained on all but the first university."""
    from benchmarks.item_sets import linqs_sets

    collection = linqs_sets(links=True)
    return collection, SupervisedKMeans(C=1e4).fit(collection.X[1:], collection.y[1:])
