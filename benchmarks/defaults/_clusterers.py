"""Clusterers of item sets, with and without training, as functions of one form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from structsvm.problems import CorrelationClustering, GreedyOracle, ItemSet, SupervisedKMeans

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
    """The items as dense vectors; with pair features alone, the mean features of their pairs."""
    if isinstance(items, ItemSet):
        return items.similarity(np.full(items.n_pair_features, 1 / items.n_pair_features))
    return items.toarray() if sparse.issparse(items) else items


def supervised_k_means(**parameters: Any) -> Predict:
    def predict(X: list[Any], y: list[Any], others: list[Any], numbers: list[int]) -> list[Any]:
        model = SupervisedKMeans(**parameters).fit([of_items(x) for x in X], y)
        return model.predict([of_items(x) for x in others], numbers)

    return predict


def correlation_clustering(**parameters: Any) -> Predict:
    def predict(X: list[Any], y: list[Any], others: list[Any], _: list[int]) -> list[Any]:
        model = CorrelationClustering(**parameters).fit([of_pairs(x) for x in X], y)
        return model.predict([of_pairs(x) for x in others])

    return predict


def k_means(X: list[Any], y: list[Any], others: list[Any], numbers: list[int]) -> list[Any]:
    makers = [KMeans(k, random_state=0) for k in numbers]
    return [make.fit_predict(vectors(x)) for make, x in zip(makers, others, strict=True)]


def average_linkage(X: list[Any], y: list[Any], others: list[Any], numbers: list[int]) -> list[Any]:
    makers = [AgglomerativeClustering(k, linkage="average") for k in numbers]
    return [make.fit_predict(vectors(x)) for make, x in zip(makers, others, strict=True)]


def logistic(as_set: Callable[[Any], ItemSet], known_number: bool) -> Predict:
    """A logistic regression says of pairs whether they are together; its answers are clustered."""

    def predict(X: list[Any], y: list[Any], others: list[Any], numbers: list[int]) -> list[Any]:
        ends = [np.triu_indices(len(labels), 1) for labels in y]
        features = [as_set(x).pair_vectors(*pairs) for x, pairs in zip(X, ends, strict=True)]
        together = [labels[i] == labels[j] for labels, (i, j) in zip(y, ends, strict=True)]
        stack = sparse.vstack if sparse.issparse(features[0]) else np.vstack
        model = LogisticRegression().fit(stack(features), np.concatenate(together))
        odds = [_odds(model, as_set(x)) for x in others]
        if not known_number:
            return [GreedyOracle().cluster(K) for K in odds]
        return [_linked(K, k) for K, k in zip(odds, numbers, strict=True)]

    return predict


def _odds(model: Any, items: ItemSet) -> Any:
    """The logarithm of the odds that two items are together, shape (m, m)."""
    i, j = np.triu_indices(len(items), 1)
    K = np.zeros((len(items), len(items)))
    K[i, j] = K[j, i] = model.decision_function(items.pair_vectors(i, j))
    return K


def _linked(K: Any, k: int) -> Any:
    apart = expit(-K)
    np.fill_diagonal(apart, 0)
    return AgglomerativeClustering(k, metric="precomputed", linkage="average").fit_predict(apart)


def contenders(ours: str) -> dict[str, Predict]:
    """Ours and the others, with their defaults."""
    if ours == "SupervisedKMeans":
        mine, on_pairs = supervised_k_means(), logistic(of_items, known_number=True)
    else:
        mine, on_pairs = correlation_clustering(), logistic(of_pairs, known_number=False)
    return {
        ours: mine,
        "KMeans": k_means,
        "average linkage": average_linkage,
        "logistic regression on pairs": on_pairs,
    }
