"""One division in two: the width, collapse, interruption."""

import warnings

import numpy as np
import pytest
from bayes_data import blobs
from clustering_data import agreement
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from structsvm.datasets import plane
from structsvm.problems import BayesianMMC
from structsvm.problems.relatives.bayesian_mmc import division
from structsvm.problems.relatives.bayesian_mmc.starts import starts


def test_evidence_chooses_a_width():
    X, _ = make_moons(80, noise=0.1, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = BayesianMMC(kernel="rbf", length_scale="evidence", n_init=1).fit(X)
    default = BayesianMMC(kernel="rbf", n_init=1).fit(X)
    assert fit.log_evidence_[0] >= default.log_evidence_[0]
    at_edge = any("no maximum" in str(w.message) for w in caught)
    share = 0.5 * fit.length_scale_[0] / default.length_scale_[0]
    assert at_edge == (not 0.12 < share < 2.7)


def test_a_collapse_is_said_and_the_start_returned():
    X, _ = plane("circles")
    # Without a weight for the labels the prior alone decides, and a large constant takes all rows.
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        fit = BayesianMMC(kernel="rbf", C=0.05, offset=100.0).fit(X)
    assert fit.collapsed_
    np.testing.assert_array_equal(fit.labels_, starts(X, 1)[0] > 0)
    assert np.bincount(fit.labels_).min() >= 4


def test_collapse_is_judged_by_the_smallest_cluster(monkeypatch):
    X, _ = blobs()
    monkeypatch.setattr(division, "SMALLEST", 0.6)
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        assert BayesianMMC(kernel="rbf").fit(X).collapsed_


@pytest.mark.parametrize("pressed", [0, 2, 8])
def test_interruption_keeps_the_best_start(pressed, monkeypatch):
    """At the first start there is nothing to keep; then some starts; then all and no finalist."""
    X, y = blobs()
    mode, calls = division.posterior_mode, []

    def press(*arguments):
        if len(calls) == pressed:
            calls.append(None)
            raise KeyboardInterrupt
        calls.append(mode(*arguments))
        return calls[-1]

    monkeypatch.setattr(division, "posterior_mode", press)
    monkeypatch.setattr(division, "starts", lambda rows, n: starts(X, 8)[:8])
    estimator = BayesianMMC(kernel="rbf")
    if pressed == 0:
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X)
        return
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        estimator.fit(X)
    made = [found for found in calls if found is not None]
    assert len(made) == pressed
    assert estimator.log_posterior_[0] == max(
        found.log_posterior for found in made if 3 <= np.sum(found.f > 0) <= 57
    )
    assert agreement(estimator.labels_, y) > 0.6
