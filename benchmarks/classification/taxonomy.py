"""Newsgroups in the tree of their names, beside flat classifiers.

The tree has a node for every first part of the names that several groups have. Distances are edges
between the true and the predicted group, on the test part by date. All parameters are defaults, but
for a tolerance of 0.01, which saves time. Few articles are drawn from the training part together
with their words. Half distances are the mean of the 0/1 loss and the distances. CPU seconds are
those of a fit, on one thread.

    python -m benchmarks classification/taxonomy    # needs 20news_bydate.jsonl.gz in STRUCTSVM_DATA
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment, means
from benchmarks.newsgroups import articles, group_tree
from benchmarks.store import Row
from structsvm.data.matrices import columns_in_use
from structsvm.problems import MulticlassSVM, TaxonomySVM, tree_distance_loss
from structsvm.problems.classification.taxonomy.graph import distances

#: Articles of a group where they are few, and draws of them.
ARTICLES, DRAWS = (5, 20, 50), 3
RTOL = 0.01
#: At least a hundred times C='auto' where articles are few.
LARGE_C = 1e5


class Articles(NamedTuple):
    """Articles to learn from and to test on, and distances of their groups."""

    train: tuple[Any, Any]
    test: tuple[Any, Any]
    tree: Any
    distances: Any

    @property
    def half(self) -> Any:
        return ((self.distances > 0) + self.distances) / 2

    def drawn(self, m: int, draw: int) -> Articles:
        """m articles of each group."""
        (X, y), (X_test, y_test) = self.train, self.test
        order = np.random.default_rng(draw).permutation(len(y))
        some = np.concatenate([order[y[order] == group][:m] for group in np.unique(y)])
        words, rows = columns_in_use(X[some])
        return self._replace(train=(rows, y[some]), test=(X_test[:, words], y_test))

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
LARGE: dict[str, Callable[[Articles], Any]] = {
    "TaxonomySVM, distances, large C": lambda data: MODELS["TaxonomySVM, distances"](
        data
    ).set_params(C=LARGE_C)
}


def of_all(data: Articles, make: Callable[[Articles], Any]) -> Any:
    return make(data).fit(*data.train)


def of_few(data: Articles, make: Callable[[Articles], Any]) -> Row:
    """Means over some draws of few articles of each group."""
    row: Row = {}
    for m in ARTICLES:
        draws = [data.drawn(m, draw) for draw in range(DRAWS)]
        scores = means([draw.scores(of_all(draw, make)) for draw in draws])
        row |= {f"{name}, {m} articles": score for name, score in scores.items()}
    return row


EXPERIMENTS = (
    Experiment(
        "all articles",
        ("model",),
        {(): news},
        {name: partial(of_all, make=make) for name, make in MODELS.items()},
        lambda fit, data: data.scores(fit.found) | {"CPU s": fit.seconds},
    ),
    Experiment(
        "few articles",
        ("model",),
        {(): news},
        {name: partial(of_few, make=make) for name, make in (MODELS | LARGE).items()},
        lambda fit, data: fit.found,
    ),
)
