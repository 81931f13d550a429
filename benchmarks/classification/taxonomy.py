"""Newsgroups in the tree of their names, compared with flat classifiers.

The tree has a node for every first part of the names that several groups have. Distances are edges
between the true and the predicted group, on the test part by date. All parameters are defaults,
except a tolerance of 0.01, which saves time. Half distances are the mean of the 0/1 loss and the
distances. CPU seconds are for one fit, on one thread.

    python -m benchmarks classification/taxonomy    # needs 20news_bydate.jsonl.gz in STRUCTSVM_DATA
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment
from benchmarks.newsgroups import articles, group_tree
from structsvm.problems import MulticlassSVM, TaxonomySVM, tree_distance_loss
from structsvm.problems.classification.taxonomy.graph import distances

RTOL = 0.01


class Articles(NamedTuple):
    """Articles to learn from and to test on, and distances of their groups."""

    train: tuple[Any, Any]
    test: tuple[Any, Any]
    tree: Any
    distances: Any

    @property
    def half(self) -> Any:
        return ((self.distances > 0) + self.distances) / 2

    def scores(self, model: Any) -> dict[str, float]:
        found, true = model.predict(self.test[0]), self.test[1]
        accuracy = 100 * float(np.mean(found == true))
        return {"accuracy": accuracy, "distance": tree_distance_loss(true, found, self.tree)}


def news() -> Articles:
    parts = articles(min_df=2)
    groups = np.unique(parts["train"][1])
    tree = group_tree(groups)
    edges = distances(tree, groups.tolist())
    return Articles(parts["train"], parts["test"], tree, edges / edges.max())


#: Models of some articles.
MODELS: dict[str, Callable[[Articles], Any]] = {
    "LinearSVC": lambda data: LinearSVC(),
    "MulticlassSVM": lambda data: MulticlassSVM(rtol=RTOL),
    "MulticlassSVM, distances": lambda data: MulticlassSVM(cost=data.distances, rtol=RTOL),
    "TaxonomySVM": lambda data: TaxonomySVM(data.tree, rtol=RTOL),
    "TaxonomySVM, distances": lambda data: TaxonomySVM(data.tree, cost=data.distances, rtol=RTOL),
    "TaxonomySVM, half distances": lambda data: TaxonomySVM(data.tree, cost=data.half, rtol=RTOL),
}


def of_all(data: Articles, make: Callable[[Articles], Any]) -> Any:
    return make(data).fit(*data.train)


EXPERIMENTS = (
    Experiment(
        "all articles",
        ("model",),
        {(): news},
        {name: partial(of_all, make=make) for name, make in MODELS.items()},
        lambda fit, data: data.scores(fit.found) | {"CPU s": fit.seconds},
    ),
)
