"""Newsgroups in the tree of their names, beside flat classifiers.

The tree has a node for every first part of the names that several groups have. Distances are edges
between the true and the predicted group, on the test part by date. With all articles, C is chosen
by the accuracy on a fifth of the training part that is held out; with few, drawn from the training
part together with their words, it is 0.3 n for n articles, which is C = 0.3 of LinearSVC. Half
distances are the mean of the 0/1 loss and the distances. CPU seconds are those of the last fit, on
one thread.

    python -m benchmarks.classification.taxonomy    # needs 20news_bydate.jsonl.gz in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

from benchmarks.newsgroups import articles, group_tree
from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm.data.matrices import columns_in_use
from structsvm.problems import MulticlassSVM, TaxonomySVM, tree_distance_loss
from structsvm.problems.classification.taxonomy.graph import distances

#: C / n that are tried with all articles, and articles of a group otherwise.
FACTORS, ARTICLES = (0.01, 0.1, 1.0), (5, 20, 50)
#: C / n with few articles, and the tolerance of ours.
FEW_FACTOR, RTOL = 0.3, 0.01
#: Draws of few articles.
DRAWS = 3


def main() -> None:
    parts = articles(min_df=2)
    groups = np.unique(parts["train"][1])
    tree = group_tree(groups)
    edges = distances(tree, groups.tolist())
    relative = edges / edges.max()
    models = {
        "LinearSVC": LinearSVC(),
        "MulticlassSVM": MulticlassSVM(),
        "MulticlassSVM, distances": MulticlassSVM(cost=relative),
        "TaxonomySVM": TaxonomySVM(tree),
        "TaxonomySVM, distances": TaxonomySVM(tree, cost=relative),
        "TaxonomySVM, half distances": TaxonomySVM(tree, cost=((edges > 0) + relative) / 2),
    }
    with one_thread():
        all_articles = [_chosen(name, model, parts, tree) for name, model in models.items()]
        few = [_drawn(name, model, parts, tree) for name, model in models.items()]
    report("classification/taxonomy", {"all articles": all_articles, "few articles": few})


def _chosen(name: str, model: Any, parts: dict[str, Any], tree: Any) -> Row:
    """The model with the C of highest accuracy on held-out articles, fitted to all."""
    (X, y), (X_test, y_test) = parts["train"], parts["test"]
    fitted, held_out = train_test_split(
        np.arange(len(y)), test_size=0.2, stratify=y, random_state=0
    )
    scores = {
        c: _with(model, c, len(fitted)).fit(X[fitted], y[fitted]).score(X[held_out], y[held_out])
        for c in FACTORS
    }
    c = max(scores, key=lambda c: scores[c])
    print(name, scores, flush=True)
    start = time.process_time()
    found = _with(model, c, len(y)).fit(X, y).predict(X_test)
    seconds = time.process_time() - start
    return {
        "model": name,
        **{f"held out, C = {c} n": 100 * score for c, score in scores.items()},
        "chosen C / n": c,
        "accuracy": 100 * float(np.mean(found == y_test)),
        "distance": tree_distance_loss(y_test, found, tree),
        "CPU s": seconds,
    }


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
            found = _with(model, FEW_FACTOR, len(some)).fit(rows, y[some]).predict(X_test[:, words])
            distance = tree_distance_loss(y_test, found, tree)
            measured.append((100 * float(np.mean(found == y_test)), distance))
        accuracy, distance = np.mean(measured, axis=0)
        print(name, m, accuracy, distance, flush=True)
        row |= {f"accuracy, {m} articles": accuracy, f"distance, {m} articles": distance}
    return row


def _with(model: Any, c: float, n: int) -> Any:
    """The model with C = c as LinearSVC means it: ours weigh the mean slack, theirs the sum."""
    if isinstance(model, LinearSVC):
        return clone(model).set_params(C=c)
    return clone(model).set_params(C=c * n, rtol=RTOL)


if __name__ == "__main__":
    main()
