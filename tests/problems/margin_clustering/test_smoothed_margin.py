"""The smoothed objective of clustering, its gradient, and where descents start."""

import numpy as np
import pytest
from clustering_data import blobs, hinge

from structsvm.problems import CPM3CProblem
from structsvm.problems.margin_clustering.smoothed_margin import (
    TEMPERATURE,
    PrincipalCoordinates,
    SmoothedMargin,
)


def margin_for(X, k, C=10.0, known=None, balance=0.0, least=0.0, center=True):
    problem = CPM3CProblem(k, balance, least, center)
    problem.initialize([X], None if known is None else [known])
    coordinates = PrincipalCoordinates(problem.rows_, X)
    return SmoothedMargin(problem, coordinates, known, C), coordinates, problem


@pytest.mark.parametrize("seed", range(2))
def test_the_gradient_is_that_of_the_objective(seed):
    X, _ = blobs(3, seed=seed)
    margin, _, _ = margin_for(X, 3)
    w = np.random.default_rng(seed).normal(size=3 * margin.r)
    step = 1e-3  # scores of float32 round differences over smaller steps
    slopes = [
        (margin._value(w + step * unit)[0] - margin._value(w - step * unit)[0]) / (2 * step)
        for unit in np.eye(len(w))
    ]
    gradient = margin._value(w)[1]
    np.testing.assert_allclose(slopes, gradient, atol=2e-3 * np.linalg.norm(gradient))


@pytest.mark.parametrize("seed", range(2))
def test_the_smoothed_objective_is_above_the_objective_by_the_temperature_at_most(seed):
    X, _ = blobs(4, seed=seed)
    margin, coordinates, problem = margin_for(X, 4)
    W = np.random.default_rng(seed).normal(size=(4, margin.r))
    smoothed, (objective, _, labels) = margin._value(W.ravel())[0], margin._member(W)
    assert objective <= smoothed <= objective + margin.C * TEMPERATURE * np.log(4)
    w = problem.weights(coordinates.weights(W - W.mean(axis=0)))
    scores = problem.scores(X, w)
    np.testing.assert_array_equal(labels, scores.argmax(axis=1))
    common = 4 * np.square(W.mean(axis=0)).sum() / 2
    true = w @ w / 2 + margin.C * hinge(scores, labels).mean()
    assert objective == pytest.approx(true + common)


def test_a_descent_lowers_the_objective_and_starts_from_the_partition():
    X, truth = blobs(4, apart=20.0)
    margin, _, _ = margin_for(X, 4)
    W = margin.discriminant(truth)
    np.testing.assert_array_equal(margin._member(W).labels, truth)
    few, many = (margin.descend(W, steps) for steps in (2, 20))
    assert many.objective < few.objective < margin._member(W).objective


def test_with_offsets_a_cluster_between_others_is_found_and_the_balance_kept():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(x, 0.5, (60, 2)) for x in (-4, 0, 4)])
    truth = np.repeat([0, 1, 2], 60)
    for balance, center in ((0.3, False), (2.0, True)):
        margin, coordinates, problem = margin_for(X, 3, 20.0, balance=balance, center=center)
        W = margin.discriminant(truth)
        found = margin.descend(W, 25)
        for one in (W, found.W):
            means = problem.scores(X, problem.weights(coordinates.weights(one))).mean(axis=0)
            assert np.ptp(means) <= balance * (1 + 1e-9)
    np.testing.assert_array_equal(margin._member(W).labels, truth)


def test_known_labels_and_sizes_are_kept():
    X, truth = blobs(3)
    known = np.full(len(X), -1)
    known[::5] = (truth[::5] + 1) % 3
    margin, _, _ = margin_for(X, 3, known=known, least=0.3)
    labels = margin.descend(margin.discriminant(truth), 10).labels
    assert np.all(labels[known >= 0] == known[known >= 0])
    assert np.bincount(labels, minlength=3).min() >= int(0.3 * len(X))
