"""What all maximum margin clusterers do alike: unusual data, bad input."""

import warnings

import numpy as np
import pytest
from clustering_data import THREE, blobs, clusters_of, data_for, every, two
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CPM3C, MultivariateMMC


@pytest.mark.sampled(5)
@every
def test_explicit_zeros_are_zeros(clusterer):
    X, _ = data_for(clusterer)
    X[np.abs(X) < 0.5] = 0
    thin = sparse.csr_matrix(X)
    explicit = sparse.csr_matrix(
        (X.ravel(), np.tile([0, 1], len(X)), np.arange(0, 2 * len(X) + 1, 2)), X.shape
    )
    assert explicit.nnz > thin.nnz
    one, two = (clone(clusterer).fit(data) for data in (thin, explicit))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert two.objective_ == pytest.approx(one.objective_)
    np.testing.assert_array_equal(one.predict(explicit), one.predict(X))


@pytest.mark.sampled(5)
@every
def test_every_row_three_times(clusterer):
    X, _ = data_for(clusterer)
    clusterer = clone(clusterer).set_params(kernel="linear")
    one, three = (clone(clusterer).fit(data) for data in (X, np.repeat(X, 3, axis=0)))
    assert adjusted_rand_score(np.repeat(one.labels_, 3), three.labels_) == 1
    assert three.C_ == pytest.approx(one.C_)
    assert three.objective_ == pytest.approx(one.objective_, rel=0.05)


@every
def test_two_different_rows_many_times(clusterer):
    """As many different rows as clusters, or fewer."""
    X = np.repeat([[0.0, 1.0], [3.0, 0.0]], 20, axis=0)
    if clusters_of(clusterer) == 2:
        labels = clone(clusterer).fit(X).labels_
        assert adjusted_rand_score(labels, np.repeat([0, 1], 20)) == 1
    else:
        with pytest.warns(ConvergenceWarning, match="cluster 2 is empty, because X has 2"):
            labels = clone(clusterer).fit(X).labels_
        np.testing.assert_array_equal(labels, np.repeat([0, 1], 20))


@every
def test_rows_too_far_from_0_for_single_precision(clusterer):
    X = (np.random.default_rng(0).normal(size=(30, 3)) + 1e6).astype(np.float32)
    message = r"precision of float32 beside their mean: they are 1\..e\+00 from it.* is 1.7e\+06\."
    with pytest.raises(ValueError, match=message + " If they do differ, subtract the mean"):
        clone(clusterer).fit(X)
    clone(clusterer).fit(X - X.mean(axis=0))


@every
def test_one_row_many_times(clusterer):
    with pytest.raises(ValueError, match="at least two different rows; all rows are the same"):
        clone(clusterer).fit(np.tile([1.0, 2.0, 3.0], (30, 1)))


@pytest.mark.sampled(5)
@every
def test_constant_features_change_nothing(clusterer):
    X, _ = data_for(clusterer)
    wide = np.column_stack([X, np.full(len(X), 5.0), np.zeros(len(X))])
    one, two = (clone(clusterer).fit(data) for data in (X, wide))
    assert adjusted_rand_score(one.labels_, two.labels_) == 1
    np.testing.assert_allclose(two.coef_[:, 2:], 0, atol=1e-12)


@every
def test_as_many_rows_as_clusters(clusterer):
    k = clusters_of(clusterer)
    X = np.random.default_rng(0).normal(size=(k, 4))
    assert sorted(clone(clusterer).fit(X).labels_) == list(range(k))


@pytest.mark.sampled(3)
@every
def test_no_cluster_is_empty_however_few_the_rows(clusterer):
    k = clusters_of(clusterer)
    X = np.random.default_rng(1).normal(size=(2 * k + 1, 3))
    labels = clone(clusterer).set_params(balance=3.0).fit(X).labels_
    assert np.bincount(labels, minlength=k).min() >= 1


@pytest.mark.sampled(3)
@every
def test_verify_wants_the_training_rows(clusterer):
    X, _ = data_for(clusterer)
    fitted = clone(clusterer).fit(X)
    with pytest.raises(ValueError, match=f"verify expects the {len(X)} training rows; got 7"):
        fitted.verify(X[:7])


@pytest.mark.sampled(5)
@every
@pytest.mark.parametrize("kernel", ["rbf", "poly", "whiten", "diffusion"])
def test_features_on_new_rows(clusterer, kernel):
    X, truth = data_for(clusterer, each=40)
    fitted = clone(clusterer).set_params(kernel=kernel).fit(X)
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    assert adjusted_rand_score(fitted.labels_, truth) > 0.9
    new, classes = data_for(clusterer, each=40, seed=1)
    assert adjusted_rand_score(fitted.predict(new), classes) > 0.9
    assert not hasattr(fitted, "coef_")


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize("clusterer", THREE, ids=str)
@pytest.mark.parametrize(
    ("n_clusters", "message"),
    [
        (1, "n_clusters must be an integer >= 2; got 1"),
        (0, "n_clusters must be an integer >= 2; got 0"),
        (2.0, "n_clusters must be an integer >= 2; got 2.0"),
        ("3", "n_clusters must be an integer >= 2; got '3'"),
        (76, "n_clusters=76 needs as many rows; got n_samples=75"),
    ],
)
def test_unusable_numbers_of_clusters(clusterer, n_clusters, message):
    X, _ = blobs(3)
    with pytest.raises(ValueError, match=message):
        clone(clusterer).set_params(n_clusters=n_clusters).fit(X)


@every
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"balance": -0.1}, "balance must be a finite number >= 0; got -0.1"),
        ({"C": 0.0}, "C, if not 'auto', must be"),
        ({"C": "automatic"}, "C, if not 'auto', must be"),
        ({"min_cluster_size": 0.5}, r"min_cluster_size must be in \[0, 0\.\d+\)"),
        ({"rtol": -1.0}, "rtol must be a number >= 0 and < 1; got -1.0"),
        ({"time_limit": 0.0}, "time_limit must be a finite number > 0; got 0.0"),
        ({"n_init": 0}, "n_init must be an integer >= 1"),
        ({"kernel": "cosine"}, "kernel must be one of"),
    ],
)
def test_unusable_parameters(clusterer, parameters, message):
    X, _ = data_for(clusterer)
    with pytest.raises(ValueError, match=message):
        clone(clusterer).set_params(**parameters).fit(X)


@every
@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((6, 4)), "square"),
        (np.triu(np.ones((6, 6))), "must be symmetric"),
        (np.diag([1.0, -1.0, 1.0, 1.0, 1.0, 1.0]), "positive semidefinite"),
    ],
)
def test_unusable_kernel_matrices(clusterer, K, message):
    with pytest.raises(ValueError, match=message):
        clone(clusterer).set_params(kernel="precomputed").fit(K)


@two
@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda x: 1.0, "take two rows and return a number; it raised TypeError"),
        (lambda x, y: x, "take two rows and return a number; it raised"),
        (lambda x, y: np.nan, "finite numbers; it gave NaN or infinity$"),
    ],
)
def test_unusable_callable_kernels(clusterer, kernel, message):
    X, _ = data_for(clusterer)
    with pytest.raises(ValueError, match=message):
        clone(clusterer).set_params(kernel=kernel).fit(X)


@pytest.mark.sampled(3)
@every
def test_a_cluster_of_a_single_row_joins_another(clusterer):
    """Clusters have a least size: of n rows, .05 n for two clusters and .2 n / k for more."""
    k = clusters_of(clusterer)
    X = np.vstack([blobs(k - 1, each=40)[0], [[100.0, 100.0]]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = clone(clusterer).set_params(kernel="linear").fit(X).labels_
    assert np.bincount(labels, minlength=k).min() >= int((0.05 if k == 2 else 0.2 / k) * len(X))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "clusterer", [CPM3C(3, random_state=0), MultivariateMMC(3, random_state=0)]
)
def test_the_number_of_clusters_may_be_a_numpy_integer(clusterer):
    X, _ = blobs(3, each=20)
    small = clone(clusterer).set_params(n_clusters=np.uint8(3)).fit(X)
    np.testing.assert_array_equal(small.labels_, clusterer.fit(X).labels_)
