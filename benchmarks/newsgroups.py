"""The articles of the 20 newsgroups as TF-IDF vectors, divided by date."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.texts import GROUPS, newsgroups

#: The training articles of the split by date, which come first in the file.
TRAINING_ARTICLES = 11_314


def texts() -> dict[str, tuple[list[str], Any]]:
    """Texts and groups of the parts 'train' and 'test'."""
    found, y = newsgroups(GROUPS)
    groups = np.array(GROUPS)[y]
    return {
        "train": (found[:TRAINING_ARTICLES], groups[:TRAINING_ARTICLES]),
        "test": (found[TRAINING_ARTICLES:], groups[TRAINING_ARTICLES:]),
    }


def articles(min_df: int = 1) -> dict[str, tuple[Any, Any]]:
    """Vectors and groups of the parts 'train' and 'test'.

    Words in fewer than ``min_df`` articles of the first are left out.
    """
    words = vectorizer(min_df)
    (train, groups), (test, test_groups) = texts().values()
    return {
        "train": (words.fit_transform(train), groups),
        "test": (words.transform(test), test_groups),
    }


def vectorizer(min_df: int) -> TfidfVectorizer:
    return TfidfVectorizer(sublinear_tf=True, min_df=min_df, dtype=np.float32)


def group_tree(groups: Any) -> nx.DiGraph:
    """The groups below the first parts of their names, such as comp.sys, that several have."""
    tree = nx.DiGraph()
    for group in groups:
        parts = group.split(".")
        starts = [".".join(parts[:i]) for i in range(1, len(parts) + 1)]
        nx.add_path(tree, ["news", *starts])
    for node in list(nx.topological_sort(tree)):
        below = list(tree.successors(node))
        if len(below) == 1 and node != "news":
            ((above, _),) = tree.in_edges(node)
            tree.remove_node(node)
            tree.add_edge(above, below[0])
    return tree
