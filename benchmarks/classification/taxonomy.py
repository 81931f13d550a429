"""Newsgroups in the tree of their names, beside flat classifiers.

The tree has a node for every first part of the names that several groups have. Distances are edges
between the true and the predicted group, on the test part by date. All parameters are defaults, but
for a tolerance of 0.01, which saves time. Few articles are drawn from the training part together
with their words. Half distances are the mean of the 0/1 loss and the distances. CPU seconds are
those of a fit, on one thread.

    python -m benchmarks classification/taxonomy    # needs 20news_bydate.jsonl.gz in STRUCTSVM_DATA
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.newsgroups import articles, group_tree
from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.store import Row
from structsvm.data.matrices import columns_in_use
from structsvm.problems import MulticlassSVM, TaxonomySVM, tree_distance_loss
from structsvm.problems.classification.taxonomy.graph import distances

#: Articles of a group where they are few, and draws of them.
ARTICLES, DRAWS = (5, 20, 50), 3
RTOL = 0.01
#: At least a hundred times C='auto' where articles are few.
LARGE_C = 1e5


def main() -> None:
    parts = articles(min_df=2)
    groups = np.unique(parts["train"][1])
    tree = group_tree(groups)
    edges = distances(tree, groups.tolist())
    relative = edges / edges.max()
    half = ((edges > 0) + relative) / 2
    models = {
        "LinearSVC": LinearSVC(),
        "MulticlassSVM": MulticlassSVM(rtol=RTOL),
        "MulticlassSVM, distances": MulticlassSVM(cost=relative, rtol=RTOL),
        "TaxonomySVM": TaxonomySVM(tree, rtol=RTOL),
        "TaxonomySVM, distances": TaxonomySVM(tree, cost=relative, rtol=RTOL),
        "TaxonomySVM, half distances": TaxonomySVM(tree, cost=half, rtol=RTOL),
    }
    with one_thread():
        all_articles = [_of_all(name, model, parts, tree) for name, model in models.items()]
        models["TaxonomySVM, distances, large C"] = TaxonomySVM(
            tree, cost=relative, rtol=RTOL, C=LARGE_C
        )
        few = [_drawn(name, model, parts, tree) for name, model in models.items()]
    report("classification/taxonomy", {"all articles": all_articles, "few articles": few})


def _of_all(name: str, model: Any, parts: dict[str, Any], tree: Any) -> Row:
    (X, y), (X_test, y_test) = parts["train"], parts["test"]
    seconds, _ = cpu_seconds(lambda: model.fit(X, y), 1)
    found = model.predict(X_test)
    row: Row = {
        "model": name,
        "accuracy": 100 * float(np.mean(found == y_test)),
        "distance": tree_distance_loss(y_test, found, tree),
        "CPU s": seconds,
    }
    print(row, flush=True)
    return row


def _drawn(name: str, model: Any, parts: dict[str, Any], tree: Any) -> Row:
    """Means over some draws of few articles of each group."""
    (X, y), (X_test, y_test) = parts["train"], parts["test"]
    row: Row = {"model": name}
    for m in ARTICLES:
        measured = []
        for seed in range(DRAWS):
            order = np.random.default_rng(seed).permutation(len(y))
            some = np.concatenate([order[y[order] == group][:m] for group in np.unique(y)])
            words, rows = columns_in_use(X[some])
            found = model.fit(rows, y[some]).predict(X_test[:, words])
            distance = tree_distance_loss(y_test, found, tree)
            measured.append((100 * float(np.mean(found == y_test)), distance))
        accuracy, distance = np.mean(measured, axis=0)
        print(name, m, accuracy, distance, flush=True)
        row |= {f"accuracy, {m} articles": accuracy, f"distance, {m} articles": distance}
    return row


if __name__ == "__main__":
    main()
