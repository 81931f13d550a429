"""More clusters by divisions in two, and probabilities as sure as the clusters are stable."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import BayesianMMC
from structsvm.problems.margin_clustering.bayesian_mmc.refits import (
    agreement,
    fitted_temperature,
    stability,
    tempered,
)

CENTRES = [[-9, 0], [-9, 6], [9, 0], [9, 6]]
NEW = np.random.default_rng(1).normal(0, 8, (30, 2))


def rows(spread=1.0):
    return make_blobs([26, 23, 20, 17], 2, centers=CENTRES, cluster_std=spread, random_state=0)


def by_hand(X, new, **settings):
    """Clusters of the rows and new rows, and probabilities of new rows: two divisions."""
    two = BayesianMMC(**settings).fit(X)
    whole = two.predict_proba(new)
    large = np.bincount(two.labels_).argmax()
    part = np.flatnonzero(two.labels_ == large)
    again = BayesianMMC(**settings).fit(X[part])
    sides = again.predict_proba(new)
    names = [f"{large}{side}" for side in (0, 1)] + [str(1 - large)]
    products = np.column_stack([whole[:, large, None] * sides, whole[:, 1 - large]])
    labels = np.full(len(X), str(1 - large), dtype="<U2")
    labels[part] = [f"{large}{side}" for side in again.labels_]
    predicted = np.where(
        whole.argmax(axis=1) == large, [f"{large}{side}" for side in sides.argmax(axis=1)], names[2]
    )
    order = list(dict.fromkeys(labels))
    columns = [names.index(name) for name in order]
    number = {name: i for i, name in enumerate(order)}
    return [number[n] for n in labels], [number[n] for n in predicted], products[:, columns]


@pytest.mark.parametrize("settings", [{"kernel": "rbf"}, {"universum": "mean", "random_state": 3}])
def test_three_clusters_are_two_divisions(settings):
    X, _ = rows(spread=2.0)
    labels, predicted, probabilities = by_hand(X, NEW, **settings)
    found = BayesianMMC(3, multi_class="bisecting", **settings).fit(X)
    np.testing.assert_array_equal(found.labels_, labels)
    np.testing.assert_array_equal(found.predict(NEW), predicted)
    np.testing.assert_allclose(found.predict_proba(NEW), probabilities, atol=1e-12)
    np.testing.assert_allclose(found.predict_proba(X), found.probabilities_, atol=1e-9)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("calibrate", [False, True])
def test_clusters_in_a_hierarchy_are_found(calibrate):
    X, truth = rows()
    found = BayesianMMC(4, multi_class="bisecting", calibrate=calibrate).fit(X)
    assert adjusted_rand_score(truth, found.labels_) == 1
    np.testing.assert_array_equal(found.predict(X), found.labels_)
    np.testing.assert_allclose(found.predict_proba(NEW).sum(axis=1), 1)
    assert found.n_iter_ > 3 and not found.collapsed_
    assert (found.temperature_ < 1) == calibrate  # clusters that are stable
    by_matrix = clone(found).set_params(kernel="precomputed").fit(rbf_kernel(X, gamma=0.05))
    for other in (clone(found).fit(sparse.csr_matrix(X)), by_matrix):
        np.testing.assert_array_equal(other.labels_, found.labels_)


def test_what_cannot_be_divided():
    X, _ = rows()
    with pytest.raises(ValueError, match=r"largest cluster, of \d+ rows, cannot be divided: "):
        BayesianMMC(4, multi_class="bisecting").fit(np.repeat([[0.0, 0], [5, 0]], 9, axis=0))
    with pytest.warns(ConvergenceWarning, match="MAX_ITER: f still changes by more than tol"):
        BayesianMMC(3, multi_class="bisecting", max_iter=1).fit(X)


def test_agreement_matches_the_names():
    one, other = np.array([0, 0, 1, 1, 2, 2]), np.array([2, 2, 0, 0, 1, 0])
    assert agreement(one, other, 3) == pytest.approx(5 / 6)


@given(st.integers(0, 2**32 - 1), st.floats(0.35, 0.95), st.integers(2, 6))
@settings(max_examples=50, deadline=None)
def test_the_mean_confidence_is_the_one_asked_for(seed, confidence, k):
    p = np.random.default_rng(seed).dirichlet(np.ones(k), size=50)
    temperature = fitted_temperature(p, confidence)
    found = tempered(p, temperature)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(found.argmax(axis=1), p.argmax(axis=1))
    most = tempered(p, np.exp(-3.0)).max(axis=1).mean()  # at the least temperature
    wanted = min(max(confidence, 1 / k), most)
    assert found.max(axis=1).mean() == pytest.approx(wanted, abs=0.02)


@pytest.mark.slow
def test_confidence_is_the_square_of_the_stability():
    X = np.random.default_rng(0).normal(size=(160, 2))
    plain = BayesianMMC(n_clusters=4, random_state=0).fit(X)
    fit = clone(plain).set_params(calibrate=True).fit(X)
    np.testing.assert_array_equal(fit.labels_, plain.labels_)
    np.testing.assert_allclose(fit.predict_proba(X), fit.probabilities_, atol=1e-6)
    stable = stability(fit, X, fit.labels_, np.random.default_rng(5))
    assert fit.probabilities_.max(axis=1).mean() == pytest.approx(stable**2, abs=0.1)
