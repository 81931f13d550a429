"""Warnings of what the settings decide, and rows that need them."""

import re
import warnings

import numpy as np
import pytest
from clustering_data import agreement
from sdp_data import circles
from sklearn.datasets import make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.datasets import plane
from structsvm.problems import SDPMMC


def messages(X, **settings):
    """The fit and the messages of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sdp = SDPMMC(tol=0.05, random_state=0, **settings).fit(X)
    assert all(one.category is ConvergenceWarning for one in caught)
    return sdp, [str(one.message) for one in caught]


# ---------------------------------------------------------------------- sizes


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


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("X", "y"), [circles(), plane("joined circles"), plane("ai")])
def test_balanced_clusters_give_no_warning(X, y):
    sdp, said = messages(X)
    assert agreement(sdp.labels_, y) == 1
    assert not said


def test_copies_that_the_balance_separates():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], [15, 5], axis=0)
    sdp, said = messages(X)
    assert abs(np.sum(2 * sdp.labels_ - 1)) <= 2
    assert "excludes clusters of 15 and 5 rows" in said[0]
    sdp, said = messages(X, balance=0.6)
    np.testing.assert_array_equal(sdp.labels_, np.repeat([0, 1], [15, 5]))
    assert not said


# ---------------------------------------------------------------------- the gap


@pytest.mark.slow
def test_a_large_gap_warns():
    X, _ = make_circles(80, factor=0.7, noise=0.03, random_state=0)
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


@pytest.mark.parametrize("solver", ["admm", "low_rank"])
def test_labels_that_predict_does_not_give(solver):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(x, 0.3, (20, 2)) for x in (2, 4)])
    sdp, said = messages(X, kernel="linear", solver=solver)
    different = np.count_nonzero(sdp.predict(X) != sdp.labels_)
    assert different
    share = f"{different / 40:.1%}"
    expected = rf"predict differs from labels_ on {different} of the 40 .*\({share}\).*Centre the"
    assert any(re.match(expected, one) for one in said)
    for rows, offset in ((X - 3, 0.0), (X, 1.0)):  # as the warning says
        sdp, said = messages(rows, kernel="linear", offset=offset)
        np.testing.assert_array_equal(sdp.predict(rows), sdp.labels_)
        assert not any("predict differs" in one for one in said)


def test_advice_for_inner_products_names_no_width():
    rings, _ = make_circles(40, factor=0.7, noise=0.03, random_state=0)
    _, said = messages(rings, kernel="linear", gamma=3.0)
    assert any("no linear margin: set offset, or" in one for one in said)
    _, said = messages(np.eye(40) + 1e-3, kernel="linear")
    assert any("rows are nearly orthogonal" in one for one in said)
    assert not any("gamma" in one for one in said)
