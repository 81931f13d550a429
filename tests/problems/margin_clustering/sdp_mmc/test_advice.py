"""Warnings of what the settings decide, and rows that need them."""

import re
import warnings

import numpy as np
import pytest
from clustering_data import agreement
from sdp_data import circles, labellings, margin
from sklearn.datasets import make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.datasets import plane
from structsvm.problems import SDPMMC


def unequal(larger=100, smaller=20, apart=2.0, seed=0):
    rng = np.random.default_rng(seed)
    X = np.vstack(
        [rng.normal(-apart, 1, (larger, 2)), rng.normal(apart, 1, (smaller, 2))],
    )
    return X, np.repeat([0, 1], [larger, smaller])


def messages(X, **settings):
    """The fit and the messages of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sdp = SDPMMC(tol=0.05, random_state=0, **settings).fit(X)
    assert all(one.category is ConvergenceWarning for one in caught)
    return sdp, [str(one.message) for one in caught]


# ---------------------------------------------------------------------- sizes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("larger", "smaller", "apart", "seed"),
    [(100, 20, 2, 0), (100, 20, 2, 1), (90, 30, 2, 0), (60, 40, 2.5, 0)],
)
def test_unequal_clusters_are_found_as_the_warning_says(larger, smaller, apart, seed):
    X, y = unequal(larger, smaller, apart, seed)
    halves, said = messages(X)
    assert agreement(halves.labels_, y) < 0.96
    assert re.match(r"balance=0\.1 excludes clusters of \d+ and \d+ rows, whose f is", said[0])
    wanted = float(re.search(r"set balance to ([\d.]+)$", said[0])[1])
    found, _ = messages(X, balance=wanted)
    assert agreement(found.labels_, y) > 0.98
    assert found.label_objective_ < halves.label_objective_


@pytest.mark.slow
def test_labels_at_the_bound():
    X, y = unequal(55, 45, 3.0)
    sdp, said = messages(X)
    assert agreement(sdp.labels_, y) == 1
    assert len(said) == 1
    assert said[0].startswith("the clusters, of 55 and 45 rows, are as unequal as balance=0.1")
    assert "Raise balance" in said[0]
    sdp, said = messages(X, balance=0.15)
    assert agreement(sdp.labels_, y) == 1
    assert not said


@pytest.mark.sampled(2)
@pytest.mark.parametrize("balance", [0.7, 0.8])
def test_unequal_clusters_within_the_balance(balance):
    X, y = unequal(100, 20, 2.5, 3)
    sdp, said = messages(X, balance=balance)
    assert agreement(sdp.labels_, y) == 1
    assert not said


def test_a_cluster_of_a_single_row():
    X = np.vstack([np.random.default_rng(0).normal(size=(39, 2)), [[30.0, 30.0]]])
    sdp, said = messages(X, balance=38 / 40)
    assert np.flatnonzero(sdp.labels_ == sdp.labels_[-1]).tolist() == [39]
    assert not said  # no other clusters are more unequal
    sdp, said = messages(X, balance=0.9)
    assert np.bincount(sdp.labels_).min() == 2
    assert "the clusters, of 38 and 2 rows, are as unequal as balance=0.9 allows" in said[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("X", "y"), [circles(), plane("joined circles"), plane("ai")])
def test_balanced_clusters_give_no_warning(X, y):
    sdp, said = messages(X)
    assert agreement(sdp.labels_, y) == 1
    assert not said


# ---------------------------------------------------------------------- the gap


@pytest.mark.slow
def test_a_large_gap_warns():
    X, _ = make_circles(80, factor=0.7, noise=0.03, random_state=0)
    sdp, said = messages(X)
    assert sdp.label_gap_ > 0.35 * sdp.label_objective_
    gap = f"{sdp.label_gap_ / sdp.label_objective_:.0%}"
    assert any(
        re.match(rf"label_gap_ is {gap} of.*raise gamma, which is .*balance, or link", one)
        for one in said
    )
    narrow, said = messages(X, gamma=16 * sdp.gamma_)
    assert narrow.label_gap_ < 0.35 * narrow.label_objective_
    assert not any("label_gap_" in one for one in said)
    _, said = messages(rbf_kernel(X, gamma=sdp.gamma_), kernel="precomputed")
    assert any("too wide: try to narrow it. Or" in one for one in said)


def test_a_bound_that_is_not_final_gives_no_warning_of_the_gap():
    X, _ = make_circles(80, factor=0.7, noise=0.03, random_state=0)
    sdp, said = messages(X, max_iter=1)
    assert sdp.label_gap_ > 0.35 * sdp.label_objective_
    assert "MAX_ITER" in said[0]
    assert not any("label_gap_" in one for one in said)


# ---------------------------------------------------------------------- brute force


def objective_and_optimum(seed):
    """f of the labels found, and the least over all labellings that keep balance and links."""
    rng = np.random.default_rng(seed)
    n, balance = int(rng.integers(4, 11)), float(rng.choice([0.0, 0.2, 0.4, 0.8]))
    X = rng.normal(size=(n, 2))
    links = [(0, 1)] if seed % 3 == 0 else None
    sdp = SDPMMC(gamma=0.5, C=20.0, balance=balance, random_state=0).fit(X, cannot_link=links)
    K = rbf_kernel(X, gamma=0.5)
    allowed = [y for y in labellings(n, max(balance * n, n % 2)) if not links or y[1] < 0]
    least = min(margin(K, 20.0, np.outer(y, y)) for y in allowed)
    assert sdp.lower_bound_ <= least
    y = 2.0 * sdp.labels_ - 1
    found = margin(K, 20.0, np.outer(y, y))
    assert sdp.label_objective_ == pytest.approx(found, rel=1e-3)
    return found, least


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_labels_of_few_rows_are_nearly_always_the_best():
    pairs = [objective_and_optimum(seed) for seed in range(16)]
    excess = np.array([found / least - 1 for found, least in pairs])
    assert excess.min() > -1e-5
    assert np.sum(excess < 1e-5) >= 15
    assert excess.max() < 0.1


# ---------------------------------------------------------------------- unusual rows


def test_copies_share_a_cluster():
    rng = np.random.default_rng(0)
    few = np.vstack([rng.normal(-2, 0.5, (3, 2)), rng.normal(2, 0.5, (3, 2))])
    sdp, said = messages(np.repeat(few, 12, axis=0))
    np.testing.assert_array_equal(sdp.labels_, np.repeat([0, 1], 36))
    assert not said


def test_copies_that_the_balance_separates():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], [15, 5], axis=0)
    sdp, said = messages(X)
    assert abs(np.sum(2 * sdp.labels_ - 1)) <= 2
    assert "excludes clusters of 15 and 5 rows" in said[0]
    sdp, said = messages(X, balance=0.6)
    np.testing.assert_array_equal(sdp.labels_, np.repeat([0, 1], [15, 5]))
    assert not said


def test_constant_features_have_no_influence():
    X, _ = circles()
    plain = SDPMMC(random_state=0).fit(X)
    wider = SDPMMC(random_state=0).fit(np.hstack([X, np.full((len(X), 3), 7.0)]))
    np.testing.assert_array_equal(wider.labels_, plain.labels_)
    assert wider.objective_ == pytest.approx(plain.objective_, rel=1e-9)


@pytest.mark.parametrize("n", [2, 12])
def test_one_distinct_row_has_no_two_clusters(n):
    with pytest.raises(ValueError, match="at least two different rows; all rows are the same"):
        SDPMMC().fit(np.ones((n, 3)))


# ---------------------------------------------------------------------- predict


def not_centred():
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(x, 0.3, (20, 2)) for x in (2, 4)])


@pytest.mark.parametrize("solver", ["admm", "low_rank"])
def test_labels_that_predict_does_not_give(solver):
    X = not_centred()
    sdp, said = messages(X, kernel="linear", solver=solver)
    different = np.count_nonzero(sdp.predict(X) != sdp.labels_)
    assert different
    share = f"{different / 40:.1%}"
    expected = rf"predict differs from labels_ on {different} of the 40 .*\({share}\).*Centre the"
    assert any(re.match(expected, one) for one in said)


@pytest.mark.parametrize(("shift", "offset"), [(3.0, 0.0), (0.0, 1.0)])
def test_centred_rows_and_an_offset_as_the_warning_says(shift, offset):
    X = not_centred() - shift
    sdp, said = messages(X, kernel="linear", offset=offset)
    np.testing.assert_array_equal(sdp.predict(X), sdp.labels_)
    assert not any("predict differs" in one for one in said)


@pytest.mark.parametrize("settings", [{"offset": 0.5}, {"n_components": 15}, {"n_clusters": 3}])
def test_the_share_is_that_of_predict(settings):
    """Where rows overlap some are within the margin, on the other side."""
    X = np.random.default_rng(0).normal(size=(50, 2)) + 1
    sdp, said = messages(X, kernel="linear", C=0.1, **settings)
    different = np.count_nonzero(sdp.predict(X) != sdp.labels_)
    expected = f"predict differs from labels_ on {different} of the 50"
    assert any(one.startswith(expected) for one in said) == (different > 0)


# ---------------------------------------------------------------------- linear kernels


def test_advice_for_inner_products_names_no_width():
    rings, _ = make_circles(80, factor=0.7, noise=0.03, random_state=0)
    _, said = messages(rings, kernel="linear", gamma=3.0)
    assert any("no linear margin: set offset, or" in one for one in said)
    _, said = messages(np.eye(40) + 1e-3, kernel="linear")
    assert any("rows are nearly orthogonal" in one for one in said)
    assert not any("gamma" in one for one in said)
