"""Whitening: against the inverse of the covariance written out, and what it is for."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems import CorrelationClustering, ItemSet, SupervisedKMeans
from structsvm.problems.set_clustering.whitening import (
    FOLDS,
    RIDGE,
    Whitening,
    can_whiten,
    cross_fitted,
)


def correlated(seed, n=6, classes=range(100), d=6):
    """Sets whose clusters are long in one direction, the same for all clusters."""
    rng = np.random.default_rng(seed)
    centres = 2 * np.random.default_rng(99).normal(size=(100, d))
    shape = 0.2 * np.eye(d)
    shape[0] = 5.0
    X, y = [], []
    for _ in range(n):
        labels = rng.permutation(24) % 3
        some = rng.permutation(classes)[:3]
        X.append(centres[some][labels] + rng.normal(size=(24, d)) @ shape + rng.normal(size=d))
        y.append(labels)
    return X, y


@pytest.mark.parametrize("d", [4, 200])  # fewer and more features than items
def test_the_similarity_is_the_inverse_of_the_covariance(d):
    X, y = correlated(0, d=d)
    weights = np.arange(1.0, 7.0)
    item_sets = list(map(ItemSet, X))
    whitening = Whitening.of(item_sets, y, weights, constant=False)
    of_rows = np.repeat(weights, 24)[:, None] / (24 * weights.sum())
    centred = np.vstack([x - x.mean(axis=0) for x in X])
    divisors = (of_rows * centred**2).sum(axis=0) ** 0.25
    within = [
        x[c == k] - x[c == k].mean(axis=0) for x, c in zip(X, y, strict=True) for k in range(3)
    ]
    weight = np.repeat([w for w in weights for _ in range(3)], [len(part) for part in within])
    rows = np.vstack(within) / divisors
    S = (weight[:, None] * rows).T @ rows / weight.sum()
    added = RIDGE * np.sqrt(np.trace(S @ S) / d)
    S += added * np.eye(d)
    z = (X[0] - X[0].mean(axis=0)) / divisors
    expected = z @ np.linalg.inv(S) @ z.T * added
    found = whitening.applied(item_sets[0])
    np.testing.assert_allclose(found.nodes, X[0] - X[0].mean(axis=0))
    w = np.append(np.zeros(d), 1.0)
    np.testing.assert_allclose(found.similarity(w), expected, atol=1e-9 * expected.max())


def test_where_clusters_do_not_vary_it_is_the_product():
    X, y = [np.eye(3)[[0, 1, 2, 0, 1]]], [np.array([0, 1, 2, 0, 1])]
    whitening = Whitening.of([ItemSet(X[0])], y, np.ones(1), constant=True)
    z = (X[0] - X[0].mean(axis=0)) / whitening.divisors
    found = whitening.applied(ItemSet(X[0]))
    np.testing.assert_allclose(found.similarity([0, 0, 0, 1.0, 0]), z @ z.T, atol=1e-15)
    assert np.all(found.similarity([0, 0, 0, 0, 1.0]) == -1)


def product(items):
    """The product of whitened items, from its features."""
    return items.similarity(np.append(np.zeros(items.n_node_features), 1.0))


def test_a_set_is_whitened_as_the_others_say():
    X, y = correlated(0, n=2 * FOLDS + 1)
    item_sets, weights = list(map(ItemSet, X)), np.array([1.0, 2.0, 0.0, 1.0])

    def by(others, weights, items):
        sets, labels = [item_sets[j] for j in others], [y[j] for j in others]
        return product(Whitening.of(sets, labels, weights, constant=False).applied(items))

    found = cross_fitted(item_sets[:4], y[:4], weights, constant=False)
    for i, items in enumerate(found):
        others = [j for j in range(4) if j != i and weights[j]]
        expected = by(others, weights[others], item_sets[i])
        np.testing.assert_array_equal(product(items), expected)
    copies = [0, 1, 1, 3]
    sets, labels = [item_sets[j] for j in copies], [y[j] for j in copies]
    for items, j in zip(cross_fitted(sets, labels, np.ones(4), False), copies, strict=True):
        np.testing.assert_allclose(product(items), product(found[j]), atol=1e-9)
    (alone,) = cross_fitted(item_sets[:1], y[:1], np.ones(1), False)
    np.testing.assert_array_equal(product(alone), by([0], np.ones(1), item_sets[0]))
    found = cross_fitted(item_sets, y, np.ones(len(X)), False)
    others = [i for i in range(len(X)) if i % FOLDS]
    for i in range(0, len(X), FOLDS):
        expected = by(others, np.ones(len(others)), item_sets[i])
        np.testing.assert_array_equal(product(found[i]), expected)


def test_what_is_whitened():
    x = np.ones((3, 2))
    assert can_whiten([ItemSet(x)])
    assert not can_whiten([ItemSet(x), ItemSet(sparse.csr_matrix(x))])
    assert not can_whiten([ItemSet(x, np.ones((3, 3, 1)))])
    assert not can_whiten([ItemSet(pairs=np.ones((3, 3, 1)))])


@pytest.mark.filterwarnings("ignore:the learned similarity divides the examples")
@pytest.mark.parametrize("make", [SupervisedKMeans, CorrelationClustering])
def test_classes_that_training_has_not_seen(make):
    train, test = correlated(0, classes=range(50)), correlated(1, classes=range(50, 100))
    score = make().fit(*train).score(*test)
    assert score > make(C=1000.0, scale="common").fit(*train).score(*test) + 0.05
    assert score > 0.85


@pytest.mark.parametrize("make", [SupervisedKMeans, CorrelationClustering])
def test_the_attributes_are_the_similarity(make):
    X, y = correlated(0)
    model = make().fit(X, y)
    items = model._encoding.whitening.applied(ItemSet(X[0]))
    whitened = items.similarity(np.eye(items.n_features)[6])
    centred = X[0] - X[0].mean(axis=0)
    expected = (centred * model.coef_) @ centred.T + model.whitened_coef_ * whitened
    expected += getattr(model, "intercept_", 0.0)
    found = model.similarity(X[0])
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(found).max())
    moved = model.similarity(X[0] + 100.0)  # an offset of a whole set does not matter
    np.testing.assert_allclose(moved, found, atol=1e-6 * np.abs(found).max())
    assert model.coef_.shape == (model.n_features_in_,) == (6,)
    assert model.verify(X, y).matches
    assert model.set_params(early_stopping=True).fit(X, y).verify(X, y).matches


@pytest.mark.filterwarnings("ignore:the learned similarity divides the examples")
def test_nonnegative_weights_leave_a_threshold():
    model = CorrelationClustering(nonnegative=True).fit(*correlated(0))
    assert model.coef_.min() >= 0 <= model.whitened_coef_
    assert model.intercept_ < 0
