"""What the clustering problems share: rows centred and scaled, automatic C, bad data."""

import contextlib

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems import MMC, CPM3CProblem, MMCProblem
from structsvm.problems.margin_clustering.candidates import bounded
from structsvm.problems.margin_clustering.rows import StandardRows
from structsvm.problems.margin_clustering.smoothed_margin import PrincipalCoordinates


def test_a_mean_that_is_a_rounding_error_is_none():
    X = np.random.default_rng(0).normal(size=(20, 3))
    rows = StandardRows(X - X.mean(axis=0), False, center=False)
    assert not rows.mean_row.any()


# ---------------------------------------------------------------------- principal coordinates


def rows(n, d, dtype=np.float64):
    rng = np.random.default_rng(0)
    return (rng.normal(size=(n, d)) * np.linspace(3, 1, d) + 5).astype(dtype)


@pytest.mark.parametrize(("offset", "center"), [(False, True), (True, True), (False, False)])
@pytest.mark.parametrize("shape", [(60, 5), (5, 60)])
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "tiny", "huge"])
def test_weights_have_equal_scores_for_rows_and_coordinates(offset, center, shape, kind):
    x = rows(*shape, np.float32 if kind == "float32" else np.float64)
    x = {"sparse": sparse.csr_matrix, "tiny": lambda x: 1e-90 * x, "huge": lambda x: 1e90 * x}.get(
        kind, lambda x: x
    )(x)
    standard = StandardRows(x, offset, center)
    coordinates = PrincipalCoordinates(standard, x)
    means = coordinates.values.mean(axis=0)
    np.testing.assert_allclose(means[-1], coordinates.mean, atol=1e-6)
    np.testing.assert_allclose(means[:-1], 0, atol=1e-6)
    assert (coordinates.mean > 0) == (offset or not center)
    W = np.random.default_rng(1).normal(size=(3, coordinates.values.shape[1]))
    scores = standard.scores(x, coordinates.weights(W))
    tolerance = 1e-3 if kind == "float32" else 1e-6
    np.testing.assert_allclose(
        scores, coordinates.values @ W.T, atol=tolerance * np.abs(scores).max()
    )


# ---------------------------------------------------------------------- C, bounds, unusable data


@pytest.mark.parametrize("shape", [(30, 5), (5, 30)])
@pytest.mark.parametrize("k", [2, 4])
def test_automatic_C(shape, k):
    """From the eigenvalues of the covariance; the same for sparse rows, twice for sign decoding."""
    X = np.random.default_rng(0).normal(size=shape) * np.linspace(1, 3, shape[1]) + 2
    spectrum = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    dimension = spectrum.sum() ** 2 / (spectrum**2).sum()
    expected = min(100, max(dimension**1.2, 2 * (k - 1) ** 2))
    for data in (X, sparse.csr_matrix(X)):
        problem = CPM3CProblem(k)
        problem.initialize([data])
        assert problem.automatic_C(data) == pytest.approx(expected)
    if k == 2:
        mmc = MMC(kernel="linear", n_init=1, random_state=0).fit(X)
        assert mmc.C_ == pytest.approx(2 * expected)


@pytest.mark.parametrize(("k", "least"), [(2, 0.05), (4, 0.125)])
def test_bounds_that_are_given_replace_those_for_similar_sizes(k, least):
    problem = bounded(CPM3CProblem(k), None, None)
    assert (problem.n_clusters, problem.balance, problem.min_cluster_size) == (k, 0, least)
    problem = bounded(CPM3CProblem(k), 0.3, 0.0)
    assert (problem.balance, problem.min_cluster_size) == (0.3, 0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("center", "balance", "message"),
    [("no", 0.0, "center must be True or False"), (False, 0.0, "n_features=1"), (False, 1.0, "")],
)
def test_rows_on_a_line_need_a_balance_where_they_are_not_centred(center, balance, message):
    mmc = MMC(kernel="linear", center=center, balance=balance, n_init=1, random_state=0)
    X = np.repeat([[1.0], [2.0]], 9, axis=0) + np.arange(18.0)[:, None] / 90
    with pytest.raises(ValueError, match=message) if message else contextlib.nullcontext():
        labels = mmc.fit(X).labels_
        assert not message and len(set(labels)) == 2


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([np.eye(2), np.eye(2)], "one matrix; got 2 inputs"),
        ([np.ones((1, 2))], "at least two different rows"),
        (np.eye(4), "one matrix; got 4 inputs"),
        ([np.ones(4)], "2-d"),
        ([[[1, 2], [3, 4]]], "numpy array or a scipy.sparse matrix; got list"),
    ],
)
def test_the_problem_names_unusable_data(X, message):
    with pytest.raises(ValueError, match=message):
        MMCProblem().initialize(X)
