"""Warnings of what the settings decide, and kernels by features."""

import re
import warnings

import numpy as np
import pytest
from clustering_data import agreement, quietly
from sdp_data import circles
from sklearn.datasets import make_blobs, make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

import structsvm
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc import features as module
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex


def messages(X, **settings):
    """The fit and the messages of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sdp = SDPMMC(tol=0.05, random_state=0, **settings).fit(X)
    assert all(one.category is ConvergenceWarning for one in caught)
    return sdp, [str(one.message) for one in caught]


# ---------------------------------------------------------------------- sizes


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("sizes", "balance", "message"),
    [
        ((22, 18), 0.1, "the clusters, of 22 and 18 rows, are as unequal as balance=0.1.*Raise"),
        ((22, 18), 0.15, None),
        ((39, 1), 38 / 40, None),  # no other clusters are more unequal
        ((39, 1), 0.9, "the clusters, of 38 and 2 rows, are as unequal as balance=0.9 allows"),
        ((34, 6), 0.1, "balance=0.1 excludes clusters of 34 and 6 rows, whose f is"),
    ],
)
def test_sizes_at_the_bound_and_beyond_it(sizes, balance, message):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(x, 1, (n, 2)) for x, n in zip((-4, 4), sizes, strict=True)])
    y = np.repeat([0, 1], sizes)
    sdp, said = messages(X, balance=balance)
    assert re.match(message, said[0]) if message else not said
    if message and "excludes" in message:
        sdp, said = messages(X, balance=float(re.search(r"set balance to ([\d.]+)$", said[0])[1]))
    assert (agreement(sdp.labels_, y) == 1) == (balance != 0.9)


# ---------------------------------------------------------------------- the gap


@pytest.mark.slow
def test_a_large_gap_warns():
    X, _ = make_circles(40, factor=0.7, noise=0.03, random_state=0)
    sdp, said = messages(X)
    assert sdp.label_gap_ > 0.35 * sdp.label_objective_
    gap = f"{sdp.label_gap_ / sdp.label_objective_:.0%}"
    expected = rf"label_gap_ is {gap} of.*raise gamma, which is .*balance, or link"
    assert any(re.match(expected, one) for one in said)
    narrow, said = messages(X, gamma=16 * sdp.gamma_)
    assert narrow.label_gap_ < 0.35 * narrow.label_objective_
    assert not any("label_gap_" in one for one in said)
    _, said = messages(rbf_kernel(X, gamma=sdp.gamma_), kernel="precomputed")
    assert any("too wide: try to narrow it. Or" in one for one in said)


@pytest.mark.slow
def test_a_bound_that_is_not_final_gives_no_warning_of_the_gap():
    X, _ = make_circles(40, factor=0.7, noise=0.03, random_state=0)
    sdp, said = messages(X, max_iter=1)
    assert sdp.label_gap_ > 0.35 * sdp.label_objective_
    assert "MAX_ITER" in said[0]
    assert not any("label_gap_" in one for one in said)


def test_a_narrow_kernel_warns():
    _, said = messages(circles(24)[0], gamma=1e4)
    assert any(re.search(r"f\(M\) is \d+% of n.*lower gamma", one) for one in said)


# ---------------------------------------------------------------------- predict


@pytest.mark.sampled(2)
@pytest.mark.parametrize("solver", ["admm", "low_rank"])
def test_labels_that_predict_does_not_give(solver):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(x, 0.3, (10, 2)) for x in (2, 4)])
    sdp, said = messages(X, kernel="linear", solver=solver)
    different = np.count_nonzero(sdp.predict(X) != sdp.labels_)
    assert different
    share = f"{different / 20:.1%}"
    expected = rf"predict differs from labels_ on {different} of the 20 .*\({share}\).*Centre the"
    assert any(re.match(expected, one) for one in said)
    for rows, offset in ((X - 3, 0.0), (X, 1.0)):  # as the warning says
        sdp, said = messages(rows, kernel="linear", offset=offset)
        np.testing.assert_array_equal(sdp.predict(rows), sdp.labels_)
        assert not any("predict differs" in one for one in said)


@pytest.mark.slow
def test_advice_for_inner_products_names_no_width():
    rings, _ = make_circles(40, factor=0.7, noise=0.03, random_state=0)
    _, said = messages(rings, kernel="linear", gamma=3.0)
    assert any("no linear margin: set offset, or" in one for one in said)
    _, said = messages(np.eye(40) + 1e-3, kernel="linear")
    assert any("rows are nearly orthogonal" in one for one in said)
    assert not any("gamma" in one for one in said)


def blobs(n, k=2):
    return make_blobs(n, centers=4 * simplex(k) @ np.eye(k - 1, 2), random_state=0)


def fitted(X, **settings):
    return quietly(SDPMMC(random_state=0, **settings), X)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
def test_many_rows_take_features(monkeypatch, kernel):
    X, y = blobs(60)
    monkeypatch.setattr(module, "EXACT_ROWS", 40)
    monkeypatch.setattr(module, "LANDMARKS", 20)
    rows = rbf_kernel(X, gamma=0.1) if kernel == "precomputed" else X - X.mean(axis=0)
    sdp = fitted(rows, kernel=kernel, solver="low_rank", tol=0.05)
    assert agreement(sdp.labels_, y) == 1
    np.testing.assert_array_equal(sdp.predict(rows), sdp.labels_)
    assert sdp.verify(rows).matches


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed", "callable"])
def test_as_many_components_as_rows_are_the_exact_kernel(monkeypatch, kernel):
    X, _ = blobs(20)
    K = rbf_kernel(X, gamma=0.1)
    rows = K if kernel == "precomputed" else X
    expected = X @ X.T if kernel == "linear" else K
    named = (lambda x, z: np.exp(-0.1 * np.sum((x - z) ** 2))) if kernel == "callable" else kernel
    for limit in (1, 15):  # fewer than the columns, and more
        monkeypatch.setattr(module, "EXACT_ROWS", limit)
        sdp = fitted(rows, kernel=named, gamma=0.1, n_components=20, max_iter=3)
        features = module.training_features(sdp._kernel, sdp._landmarks, rows)
        matrix = features.rows @ features.rows.T + np.diag(features.residual)
        np.testing.assert_allclose(matrix, expected, atol=1e-6 * expected.max())


@pytest.mark.slow
def test_landmarks_are_exact_where_all_rows_are(tmp_path):
    X, _ = blobs(24)
    few, most = (fitted(X, n_components=n) for n in (8, 23))
    exact = fitted(X, solver="low_rank")
    assert most.lower_bound_ == pytest.approx(exact.lower_bound_, rel=0.03)
    assert few._landmarks.transformation.shape[0] == 8
    structsvm.save(few, tmp_path / "model.zip")
    again = structsvm.load(tmp_path / "model.zip")
    np.testing.assert_allclose(again.decision_function(X), few.decision_function(X))
    np.testing.assert_allclose(again.M_, few.M_)
