"""Partitions to start from, and the best of several: collapse, interruption."""

import numpy as np
import pytest
from clustering_data import agreement, blobs
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from structsvm.datasets import plane
from structsvm.problems import BayesianMMC
from structsvm.problems.margin_clustering.bayesian_mmc import estimator as module
from structsvm.problems.margin_clustering.bayesian_mmc import posterior as search
from structsvm.problems.margin_clustering.bayesian_mmc.initial_clusters import starts


def test_a_collapse_is_said_and_the_start_returned():
    X, _ = plane("circles")
    # Without a weight for the labels the prior alone decides, and a large constant takes all rows.
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        fit = BayesianMMC(kernel="rbf", C=0.05, offset=100.0).fit(X)
    assert fit.collapsed_
    first = starts(fit._coordinates, 2, 1, np.random.default_rng(0))[0]
    np.testing.assert_array_equal(fit.labels_, first)


def test_collapse_is_judged_by_the_smallest_cluster(monkeypatch):
    monkeypatch.setattr(search, "SMALLEST", 1.2)
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        assert BayesianMMC(kernel="rbf").fit(blobs(2, each=30, apart=6.0)[0]).collapsed_


@pytest.mark.parametrize("pressed", [0, 2, 8])
def test_interruption_keeps_the_best_start(pressed, monkeypatch):
    """At the first start there is nothing to keep; then some starts; then all and no finalist."""
    X, y = blobs(2, each=30, apart=6.0)
    mode, calls = search.posterior_mode, []

    def press(*arguments):
        if len(calls) == pressed:
            calls.append(None)
            raise KeyboardInterrupt
        calls.append(mode(*arguments))
        return calls[-1]

    monkeypatch.setattr(search, "posterior_mode", press)
    monkeypatch.setattr(module, "starts", lambda *arguments: starts(*arguments)[:8])
    estimator = BayesianMMC(kernel="rbf")
    if pressed == 0:
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X)
        return
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        estimator.fit(X)
    made = [found for found in calls if found is not None]
    assert len(made) == pressed
    proper = [found.log_posterior for found in made if 3 <= np.sum(found.f > 0) <= 57]
    assert estimator.log_posterior_ == max(proper)
    assert agreement(estimator.labels_, y) > 0.6


@pytest.mark.parametrize("k", [2, 5])
def test_partitions_are_different_and_repeatable(k):
    X, _ = make_blobs(90, centers=4, cluster_std=3.0, random_state=0)
    rows = BayesianMMC(n_clusters=k, n_init=1, random_state=0).fit(X)._coordinates
    found, again = (starts(rows, k, 12, np.random.default_rng(0)) for _ in range(2))
    assert 1 < len(found) <= 12
    same = [[np.array_equal(a[:, None] == a, b[:, None] == b) for b in found] for a in found]
    np.testing.assert_array_equal(same, np.eye(len(found), dtype=bool))
    assert all(set(labels) == set(range(k)) for labels in found)
    np.testing.assert_array_equal(found, again)
