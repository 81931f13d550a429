"""Clusterers of item sets, with and without training, as functions of one form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from benchmarks.pairs import pair_scores
from structsvm.problems import (
    CorrelationClustering,
    GreedyOracle,
    ItemSet,
    IterativeOracle,
    SupervisedKMeans,
)

#: Labels of the sets to predict: called with the sets to learn from, their labels, the sets to
#: predict, and the true numbers of clusters of these.
Predict = Callable[[list[Any], list[Any], list[Any], list[int]], list[Any]]


def of_pairs(items: Any) -> ItemSet:
    """An item set for correlation clustering."""
    if isinstance(items, ItemSet):
        return items
    if sparse.issparse(items):
        rows = normalize(items)
        cosines = (rows @ rows.T).toarray()
        return ItemSet(items, np.dstack([np.ones(cosines.shape), cosines]))
    differences = np.abs(items[:, None] - items)
    return ItemSet(pairs=np.dstack([np.ones(differences.shape[:2]), differences]))


def of_items(items: Any) -> ItemSet:
    """An item set for k-means."""
    return items if isinstance(items, ItemSet) else ItemSet(items)


def vectors(items: Any) -> Any:
    """Return the items as dense vectors, or the mean features of their pairs."""
    if isinstance(items, ItemSet):
        return items.similarity(np.full(items.n_pair_features, 1 / items.n_pair_features))
    return items.toarray() if sparse.issparse(items) else items


def supervised_k_means(X: list[Any], y: list[Any], others: list[Any], numbers: Any) -> list[Any]:
    model = SupervisedKMeans().fit([of_items(x) for x in X], y)
    return model.predict([of_items(x) for x in others], n_clusters=numbers)


def correlation_clustering(X: list[Any], y: list[Any], others: list[Any], _: Any) -> list[Any]:
    model = CorrelationClustering().fit([of_pairs(x) for x in X], y)
    return model.predict([of_pairs(x) for x in others])


def k_means(X: list[Any], y: list[Any], others: list[Any], numbers: list[int]) -> list[Any]:
    makers = [KMeans(k, random_state=0) for k in numbers]
    return [make.fit_predict(vectors(x)) for make, x in zip(makers, others, strict=True)]


def average_linkage(X: list[Any], y: list[Any], others: list[Any], numbers: list[int]) -> list[Any]:
    makers = [AgglomerativeClustering(k, linkage="average") for k in numbers]
    return [make.fit_predict(vectors(x)) for make, x in zip(makers, others, strict=True)]


def pairs_iterative(X: list[Any], y: list[Any], others: list[Any], numbers: Any) -> list[Any]:
    """Pairs by a logistic regression, whose log-odds our own Iterative search clusters."""
    scores = pair_scores(LogisticRegression(C=0.01), [of_items(x) for x in X], y, scaled=True)
    K = [scores.similarity(of_items(x)) for x in others]
    return [IterativeOracle().cluster(*each) for each in zip(K, numbers, strict=True)]


def pairs_greedy(X: list[Any], y: list[Any], others: list[Any], _: Any) -> list[Any]:
    """Cluster log-odds of pairs, without the number of clusters, by our search."""
    scores = pair_scores(LogisticRegression(C=1.0), [of_pairs(x) for x in X], y, scaled=True)
    return [GreedyOracle().cluster(scores.similarity(of_pairs(x))) for x in others]


def contenders(ours: str) -> dict[str, Predict]:
    """Return ours and the alternatives at their defaults, except the chosen C of the regression."""
    if ours == "SupervisedKMeans":
        learned = {ours: supervised_k_means, "pairs, Iterative": pairs_iterative}
    else:
        learned = {ours: correlation_clustering, "pairs, greedy": pairs_greedy}
    return learned | {"KMeans": k_means, "average linkage": average_linkage}
