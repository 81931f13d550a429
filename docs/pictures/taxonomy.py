"""Classes in a taxonomy."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from structsvm.displays.drawing import BLUE, new_figure
from structsvm.problems import TaxonomySVM

#: Words at a node of the taxonomy.
WORDS_OF_NODE = 4


def newsgroups() -> Any:
    """The tree of the newsgroups, with the words of largest weight at each node."""
    from benchmarks.newsgroups import group_tree, texts, vectorizer

    train, groups = texts()["train"]
    words, tree = vectorizer(5), group_tree(sorted(set(groups)))
    svm = TaxonomySVM(tree).fit(words.fit_transform(train), groups)
    names = words.get_feature_names_out()
    heights, places = iter(range(len(svm.classes_))), {}
    for node in nx.dfs_postorder_nodes(tree, "news"):
        below = [places[child][1] for child in tree.successors(node)]
        depth = nx.shortest_path_length(tree, "news", node)
        places[node] = (depth, np.mean(below) if below else -next(heights))
    figure = new_figure(9, 7)
    ax = figure.subplots()
    for above, node in tree.edges:
        (x0, y0), (x1, y1) = places[above], places[node]
        ax.plot(
            [x0 + 0.85, x0 + 0.92, x0 + 0.92, x1],
            [y0, y0, y1, y1],
            color="0.8",
            linewidth=1,
            zorder=0,
        )
    for node, (x, y) in places.items():
        ax.text(x + 0.02, y, node, va="bottom", fontsize=7)
        if node in svm.node_coef_:
            largest = np.argsort(-svm.node_coef_[node])[:WORDS_OF_NODE]
            ax.text(x + 0.02, y, ", ".join(names[largest]), va="top", fontsize=6, color=BLUE)
    ax.set(xlim=(-0.05, 3.7))
    ax.axis("off")
    return figure
