"""BayesianMMC: kernels, probabilities, the Universum, bad input."""

import warnings

import numpy as np
import pytest
from bayes_data import blobs
from clustering_data import agreement
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import BayesianMMC


@pytest.mark.parametrize("kernel", ["diffusion", "rbf", "graph"])
def test_clusters_that_are_plain(kernel):
    X, y = blobs()
    fit = BayesianMMC(kernel=kernel).fit(X)
    assert agreement(fit.labels_, y) == 1
    assert fit.probabilities_.shape == (60, 2)
    np.testing.assert_allclose(fit.probabilities_.sum(axis=1), 1)
    np.testing.assert_array_equal(fit.probabilities_.argmax(axis=1), fit.labels_)
    assert fit.log_posterior_ < 0
    assert not fit.collapsed_
    assert np.isnan(fit.length_scale_) == (kernel == "graph")
    if kernel != "graph":
        np.testing.assert_allclose(fit.predict_proba(X), fit.probabilities_, atol=1e-6)
        np.testing.assert_array_equal(fit.predict(X), fit.labels_)


def test_kernels_agree():
    X, _ = blobs()
    new = np.random.default_rng(1).normal(0, 3, (9, 2))
    by_name = BayesianMMC(kernel="rbf", length_scale=2.0, n_init=1).fit(X)
    K, cross = rbf_kernel(X, gamma=1 / 8), rbf_kernel(new, X, gamma=1 / 8)
    others = [
        (BayesianMMC(kernel="precomputed", n_init=1), K, cross),
        (BayesianMMC(kernel=lambda x, z: np.exp(-np.sum((x - z) ** 2) / 8), n_init=1), X, new),
        (BayesianMMC(kernel="rbf", length_scale=2.0, n_init=1), *map(sparse.csr_matrix, (X, new))),
    ]
    np.testing.assert_allclose(RBF(2.0)(X), K)
    for estimator, rows, new_rows in others:
        estimator.fit(rows)
        np.testing.assert_allclose(estimator.log_posterior_, by_name.log_posterior_, rtol=1e-6)
        mine, theirs = estimator.predict_proba(new_rows), by_name.predict_proba(new)
        if agreement(estimator.labels_, by_name.labels_) > np.mean(
            estimator.labels_ == by_name.labels_
        ):
            mine = mine[:, ::-1]
        np.testing.assert_allclose(mine, theirs, atol=1e-5)


def test_probabilities_say_where_it_is_unsure():
    X, _ = blobs()
    p = BayesianMMC(kernel="rbf").fit(X).predict_proba([[0.0, 0.0], [3.0, 0.0], [100.0, 0.0]])
    assert p.max(axis=1)[1] > 0.85
    assert abs(p[0, 0] - 0.5) < 0.15
    assert abs(p[2, 0] - 0.5) < 0.2  # far from all rows the prior is all there is


def test_clusters_of_unequal_size_need_an_offset():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-3, 1, (90, 2)), rng.normal(3, 1, (10, 2))])
    y = np.repeat([0, 1], [90, 10])
    assert agreement(BayesianMMC(kernel="rbf", offset=1.0).fit_predict(X), y) == 1


def test_gamma_moves_the_probabilities():
    X, _ = blobs()
    middle = [[0.0, 0.0]]
    less, more = (
        BayesianMMC(kernel="rbf", gamma=g, offset=1.0).fit(X).predict_proba(middle)[0, 1]
        for g in (0.3, 0.7)
    )
    assert more > less + 0.2


@pytest.mark.parametrize("gamma", [0.4, 0.6])
def test_gamma_names_the_clusters(gamma):
    """Both names of every start are tried: gamma is the prior share of the second cluster."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-3, 1, (51, 2)), rng.normal(3, 1, (9, 2))])
    for rows in (X, X[::-1]):
        fit = BayesianMMC(kernel="rbf", gamma=gamma, offset=1.0, n_init=1).fit(rows)
        first, second = np.bincount(fit.labels_)
        assert (first > 3 * second) if gamma < 0.5 else (second > 3 * first)


@pytest.mark.parametrize("universum", ["mean", "marginal", [[0.0, 0.0], [0.1, -0.1]]])
@pytest.mark.parametrize("kernel", ["rbf", "diffusion"])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_a_universum_keeps_within_the_margin(universum, kernel, convert):
    X, y = blobs()
    fit = BayesianMMC(kernel=kernel, universum=universum, random_state=0).fit(convert(X))
    assert agreement(fit.labels_, y) > 0.9
    f = fit._searches[0].posterior.f
    assert len(f) > 60
    assert np.all(np.abs(f[60:]) < 1)
    np.testing.assert_allclose(fit.predict_proba(convert(X)), fit.probabilities_, atol=1e-6)


def test_a_universum_moves_the_margin():
    """Rows of no cluster beside one of the blobs pull the boundary there."""
    X, _ = blobs()
    spot = np.array([[1.5, 0.0]])
    beside = np.column_stack([np.full(20, 1.5), np.linspace(-2, 2, 20)])
    plain = BayesianMMC(kernel="rbf", offset=1.0).fit(X)
    informed = BayesianMMC(kernel="rbf", offset=1.0, universum=beside).fit(X)
    sure, unsure = (max(f.predict_proba(spot)[0]) - 0.5 for f in (plain, informed))
    assert unsure < 0.6 * sure


def test_steps_that_run_out_warn():
    X, _ = blobs()
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        BayesianMMC(max_iter=1).fit(X)


def test_rows_far_from_all_others():
    """The walk to near neighbours underflows there, but is a walk."""
    X, _ = make_moons(24, noise=0.08, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = BayesianMMC().fit(X).predict_proba([[1e4, 0.0], [0.0, 1e6]])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    rng = np.random.default_rng(0)
    tight = np.vstack([rng.normal(c, 1e-3, (30, 2)) for c in ((0, 0), (10, 0), (0, 10))])
    labels = BayesianMMC(n_clusters=3, offset=1.0).fit_predict(tight)
    assert sorted(np.bincount(labels).tolist()) == [30, 30, 30]


@pytest.mark.parametrize("kernel", ["diffusion", "rbf"])
def test_dense_and_sparse_rows_may_be_mixed(kernel):
    X, _ = blobs()
    middle = sparse.csr_matrix([[0.0, 0.0], [0.1, 0.0]])
    fit = BayesianMMC(kernel=kernel, universum=middle).fit(X)
    dense = BayesianMMC(kernel=kernel, universum=middle.toarray()).fit(X)
    np.testing.assert_allclose(fit.predict_proba(sparse.csr_matrix(X)), fit.predict_proba(X))
    np.testing.assert_allclose(fit.probabilities_, dense.probabilities_)


def test_a_universum_far_from_all_rows():
    far = [[1e12, 0.0], [1.0, 1.0], [0.0, 1.0]]
    fit = BayesianMMC(universum=far).fit(blobs()[0])
    assert np.all(np.isfinite(fit.probabilities_))


def test_repeatable_and_silent():
    X, _ = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, two = (BayesianMMC(universum="mean", random_state=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.probabilities_, two.probabilities_)


# ---------------------------------------------------------------------- bad input


BROKEN = sparse.csr_matrix(np.eye(2))
BROKEN.indices[0] = 10**6
X8 = np.random.default_rng(0).normal(size=(20, 2))

K8 = rbf_kernel(X8)


@pytest.mark.parametrize(
    ("settings_", "X", "message"),
    [
        ({"kernel": "precomputed"}, np.diag([1.0, 1, 1, -1]), "semidefinite"),
        ({"kernel": "precomputed"}, K8[:, :5], "square"),
        ({"kernel": "precomputed"}, np.ones((9, 9)), "as many different rows; X has 1"),
        ({"kernel": lambda x: 1.0}, X8, "two rows"),
        ({"kernel": lambda x, z: 1.0}, X8, "constant"),
        ({"kernel": "linear"}, X8, "kernel must be"),
        ({}, X8[:1], "sample"),
        ({}, np.ones((9, 3)), "all rows are the same"),
        ({"kernel": "graph"}, np.ones((9, 3)), "all rows are the same"),
        ({}, np.where(X8 > 0, np.nan, X8), "NaN"),
        ({"C": 0.0}, X8, "C must be"),
        ({"C": -1.0}, X8, "C must be"),
        ({"gamma": 0.0}, X8, "gamma"),
        ({"gamma": 1.0}, X8, "gamma"),
        ({"gamma": 0.3, "n_clusters": 3}, X8, "the second of two clusters; leave it 0.5"),
        ({"offset": -1.0}, X8, "offset"),
        ({"n_clusters": 1}, X8, "n_clusters"),
        ({"n_clusters": 21}, X8, "n_clusters=21"),
        ({"n_init": 0}, X8, "n_init"),
        ({"tol": 0.0}, X8, "tol"),
        ({"max_iter": 0}, X8, "max_iter"),
        ({"length_scale": 0.0}, X8, "length_scale"),
        ({"length_scale": 1e300}, X8, r"must be from 1e-150 to 1e\+150; got 1e\+300"),
        ({"length_scale": 1e-300}, X8, r"must be from 1e-150 to 1e\+150; got 1e-300"),
        ({"length_scale": 1e10}, X8, "the kernel is constant"),
        ({"C": 1e-7}, X8, "C must be from 1e-06 to 1e"),
        ({"C": 1e300}, X8, "C must be from 1e-06 to 1e"),
        ({"C": 400.0, "universum": "mean"}, X8, "C, with a Universum, must be from 1e-06 to 300"),
        ({"offset": 1e15}, X8, "offset, a variance.* must be from 0 to 1e"),
        ({"universum": 10**400}, X8, "universum must hold real numbers"),
        ({"universum": [[1e200, 0.0]]}, X8, "the largest entry of universum is 1e"),
        ({"universum": BROKEN}, X8, "universum is not a valid CSR matrix"),
        ({"length_scale": "long"}, X8, "must be a finite number"),
        ({"length_scale": 1.0, "kernel": "graph"}, X8, "has none"),
        ({"universum": np.ones((3, 5))}, X8, r"with the 2 features of X; got shape \(3, 5\)"),
        ({"universum": [1.0, 2.0]}, X8, r"at least one row of numbers.*got shape \(2,\)"),
        ({"universum": np.empty((0, 2))}, X8, r"at least one row of numbers.*got shape \(0, 2\)"),
        ({"universum": sparse.csr_matrix([[1j, 0]])}, X8, "universum must hold real numbers"),
        ({"universum": [[np.nan, 0.0]]}, X8, "NaN"),
        ({"universum": "median"}, X8, "'mean', 'marginal'"),
        ({"universum": "mean", "kernel": "graph"}, X8, "needs a kernel of rows"),
        ({"universum": "mean", "kernel": "precomputed"}, K8, "needs a kernel of rows"),
    ],
)
def test_bad_input(settings_, X, message):
    with pytest.raises(ValueError, match=message):
        BayesianMMC(**settings_).fit(X)


def test_methods_before_and_after_fit():
    with pytest.raises(NotFittedError):
        BayesianMMC().predict(X8)
    graph = BayesianMMC(kernel="graph").fit(X8)
    with pytest.raises(ValueError, match="kernel='diffusion' to predict"):
        graph.predict(X8)


def test_known_labels_are_ignored_with_a_warning():
    X, y = make_moons(60, noise=0.05, random_state=0)
    half = np.where(np.arange(60) % 2, y, -1)
    with pytest.warns(UserWarning, match="no use for known labels: y is ignored"):
        ignored = BayesianMMC(random_state=0).fit(X, half)
    np.testing.assert_array_equal(ignored.labels_, BayesianMMC(random_state=0).fit(X, y).labels_)
