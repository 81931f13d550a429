"""Rows that occur several times, few different rows, single rows, constant features."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems import BayesianMMC


@pytest.mark.sampled(2)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", ["diffusion", "rbf", "graph"])
@pytest.mark.parametrize("k", [2, 3])
def test_rows_that_repeat_often(convert, kernel, k):
    """Twenty copies of each of fifteen rows in three groups, too few for 'graph' to find."""
    rng = np.random.default_rng(0)
    centres = np.array([[-9.0, 0], [9, 0], [0, 16]])
    spots = (centres[:, None] + rng.normal(size=(3, 5, 2))).reshape(15, 2)
    X = convert(np.repeat(spots, 20, axis=0))
    fit = BayesianMMC(kernel=kernel, n_clusters=k, offset=0.01, random_state=0).fit(X)
    assert not fit.collapsed_
    np.testing.assert_array_equal(fit.labels_, np.repeat(fit.labels_[::20], 20))
    groups = fit.labels_[::20].reshape(3, 5)
    assert kernel == "graph" or np.all(groups == groups[:, :1])
    assert len(np.unique(fit.labels_)) == k


@pytest.mark.parametrize("kernel", ["diffusion", "rbf", "graph"])
@pytest.mark.parametrize("k", [3, 4])
def test_more_clusters_than_different_rows(kernel, k):
    X = np.repeat([[0.0, 0], [5, 0]], 20, axis=0)
    with pytest.raises(ValueError, match=f"n_clusters={k} needs .* different rows; X has 2"):
        BayesianMMC(kernel=kernel, n_clusters=k).fit(X)
    assert sorted(np.bincount(BayesianMMC(kernel=kernel).fit_predict(X))) == [20, 20]


@pytest.mark.parametrize("k", [2, 3])
def test_a_single_row_is_no_cluster_of_its_own(k):
    """Clusters of less than a tenth of an equal share are given up, here for the rows' halves."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), [[300.0, 300.0]]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fit = BayesianMMC(n_clusters=k, random_state=0).fit(X)
    assert fit.collapsed_ or np.bincount(fit.labels_).min() > 60 / 10 / k
    np.testing.assert_allclose(fit.probabilities_.sum(axis=1), 1)


def test_constant_features_change_nothing():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(c, 1, (20, 2)) for c in (-4, 0, 4)])
    wide = np.hstack([X, np.full((60, 1), 7.0), np.zeros((60, 1))])
    for k in (2, 3):
        plain, more = (BayesianMMC(n_clusters=k, random_state=0).fit(x) for x in (X, wide))
        np.testing.assert_allclose(more.probabilities_, plain.probabilities_, atol=1e-6)


def test_as_many_clusters_as_rows():
    X = np.random.default_rng(0).normal(size=(4, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fit = BayesianMMC(n_clusters=4, kernel="rbf", random_state=0).fit(X)
    assert sorted(fit.labels_) == [0, 1, 2, 3]
