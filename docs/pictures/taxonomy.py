"""Classes in a taxonomy."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from structsvm.displays.drawing import new_figure
from structsvm.problems import TaxonomySVM

ROOT = "news"
#: Words at a node of the taxonomy.
WORDS_OF_NODE = 3


def newsgroups() -> Any:
    """The tree of the newsgroups, a line for each node, with its words of largest weight."""
    from benchmarks.newsgroups import group_tree, texts, vectorizer

    train, groups = texts()["train"]
    words, tree = vectorizer(5), group_tree(sorted(set(groups)))
    svm = TaxonomySVM(tree).fit(words.fit_transform(train), groups)
    names = words.get_feature_names_out()
    nodes = list(nx.dfs_preorder_nodes(tree, ROOT))[1:]
    figure = new_figure(5, 0.19 * len(nodes))
    ax = figure.subplots()
    for line, node in enumerate(nodes):
        (above,) = tree.predecessors(node)
        indent = 0.05 * (nx.shortest_path_length(tree, ROOT, node) - 1)
        inner = "bold" if tree.out_degree(node) else "normal"
        ax.text(indent, -line, node.removeprefix(f"{above}."), fontsize=9, weight=inner)
        if node in svm.node_coef_:
            largest = np.argsort(-svm.node_coef_[node])[:WORDS_OF_NODE]
            ax.text(0.45, -line, ", ".join(names[largest]), fontsize=9, color="C0", weight=inner)
    ax.set(xlim=(0, 1), ylim=(0.5 - len(nodes), 1))
    ax.axis("off")
    return figure
