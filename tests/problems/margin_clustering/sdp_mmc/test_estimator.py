"""SDPMMC: labels, links, limits, bad input."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from clustering_data import agreement
from scipy import sparse
from sdp_data import circles
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from structsvm import Status
from structsvm.exceptions import InfeasibleConstraintsError
from structsvm.problems import SDPMMC

#: Few rows, of which the sizes of the clusters or the kernel say little.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.slow
def test_kernels_agree():
    X, inner = circles()
    exact = {"solver": "admm", "random_state": 0}
    by_name = SDPMMC(gamma=8.0, **exact).fit(X)
    K = rbf_kernel(X, gamma=8.0)
    new = np.random.default_rng(1).normal(size=(9, 2))
    others = [
        (SDPMMC(gamma=8.0, **exact), X, new),
        (SDPMMC(gamma=8.0, **exact), sparse.csr_matrix(X), sparse.csr_matrix(new)),
        (SDPMMC(kernel="precomputed", **exact), K, rbf_kernel(new, X, gamma=8.0)),
        (SDPMMC(kernel=lambda x, z: np.exp(-8 * np.sum((x - z) ** 2)), **exact), X, new),
    ]
    assert agreement(by_name.labels_, inner) == 1
    for estimator, rows, new_rows in others:
        estimator.fit(rows)
        assert estimator.objective_ == pytest.approx(by_name.objective_, rel=1e-9)
        np.testing.assert_array_equal(estimator.labels_, by_name.labels_)
        np.testing.assert_allclose(
            estimator.decision_function(new_rows), by_name.decision_function(new), atol=1e-9
        )
        assert estimator.verify(rows).matches


def test_the_classifier_is_the_support_vector_machine_of_the_labels():
    X, _ = circles(24)
    sdp = SDPMMC(gamma=8.0, C=2.0, solver="admm", random_state=0).fit(X)
    y, K = 2.0 * sdp.labels_ - 1, rbf_kernel(X, gamma=8.0)
    scores = K @ sdp.dual_coef_
    np.testing.assert_allclose(sdp.decision_function(X), scores)
    primal = sdp.dual_coef_ @ K @ sdp.dual_coef_ + 2 * 2.0 * np.maximum(0, 1 - y * scores).sum()
    assert primal == pytest.approx(sdp.label_objective_, rel=1e-6)
    np.testing.assert_array_equal(sdp.predict(X), sdp.labels_)


def test_attributes_belong_together():
    X, _ = circles(30)
    sdp = SDPMMC(solver="admm", random_state=0).fit(X)
    assert sdp.M_.shape == (30, 30)
    np.testing.assert_allclose(sdp.M_.diagonal(), 1)
    assert np.linalg.eigvalsh(sdp.M_).min() > -1e-9
    assert np.abs(sdp.M_.mean(axis=0)).max() <= 0.1 + sdp.max_violation_ + 1e-12
    assert sdp.max_violation_ <= 0.01
    assert (sdp.objective_ - sdp.lower_bound_) / sdp.objective_ <= 0.01
    assert np.mean((sdp.soft_assignment_ > 0) == (sdp.labels_ == 1)) > 0.9
    assert sdp.n_iter_ == sdp.result_.iterations == len(sdp.result_.history)
    assert abs(np.sum(2 * sdp.labels_ - 1)) <= 3
    again = SDPMMC(solver="admm", random_state=0).fit(X)
    np.testing.assert_array_equal(again.labels_, sdp.labels_)
    assert again.objective_ == sdp.objective_


def test_rows_far_from_the_origin():
    X, _ = circles()
    near, far = (
        SDPMMC(gamma=8.0, solver="admm", random_state=0).fit(rows) for rows in (X, X + 1e7)
    )
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-5)
    np.testing.assert_array_equal(far.labels_, near.labels_)
    np.testing.assert_array_equal(far.predict(X + 1e7), near.labels_)


def test_links_may_come_from_a_generator():
    X, _ = circles()
    sdp = SDPMMC(random_state=0).fit(X, must_link=zip([0, 1], [1, 2], strict=True))
    assert len(set(sdp.labels_[:3])) == 1


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_few_rows_and_odd_numbers(n):
    """A difference of one is allowed where it cannot be helped."""
    X = np.random.default_rng(n).normal(size=(n, 2))
    sdp = SDPMMC(balance=0.0, random_state=0).fit(X)
    assert abs(np.sum(2 * sdp.labels_ - 1)) == n % 2


def test_known_labels_are_kept_and_decide_the_names():
    X, inner = circles()
    y = np.full(len(X), -1)
    y[[0, 1, 2, 3, 4, 5]] = np.where(inner[:6], 7, 3)
    assert len(set(y[:6])) == 2
    sdp = SDPMMC(random_state=0).fit(X, y)
    np.testing.assert_array_equal(sdp.classes_, [3, 7])
    np.testing.assert_array_equal(sdp.labels_, np.where(inner, 7, 3))
    np.testing.assert_array_equal(sdp.predict(X), sdp.labels_)
    signs = np.where(y[:6] == 7, 1.0, -1.0)
    np.testing.assert_allclose(sdp.M_[:6, :6], np.outer(signs, signs))  # S1
    assert np.all(sdp.M_[:6].sum(axis=0)[6:] >= 2 - 6 - 1e-9)  # S2
    assert np.all((sdp.soft_assignment_ > 0) == (sdp.labels_ == 7))


def test_labels_against_the_data_are_kept():
    X, inner = circles()
    y = np.full(len(X), -1)
    y[:4] = 1 - inner[:4]
    y[4] = inner[4]
    sdp = SDPMMC(random_state=0).fit(X, y)
    np.testing.assert_array_equal(sdp.labels_[:5], y[:5])


def test_links():
    X, inner = circles()
    outer = np.flatnonzero(inner == 0)
    sdp = SDPMMC(random_state=0).fit(X, must_link=[(0, 1)], cannot_link=[(2, 3), (3, 4)])
    labels = sdp.labels_
    assert labels[0] == labels[1]
    assert labels[2] != labels[3] != labels[4]
    assert sdp.M_[2, 4] == pytest.approx(1)
    assert sdp.verify(X).matches
    pairs = list(pairwise(outer))
    easy = SDPMMC(random_state=0).fit(X, must_link=pairs)
    assert agreement(easy.labels_, inner) == 1
    assert easy.result_.Z.shape == (len(X) - len(pairs),) * 2


def test_links_that_leave_nothing_to_find():
    X = np.random.default_rng(0).normal(size=(4, 2))
    sdp = SDPMMC(random_state=0).fit(X, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
    assert sdp.labels_[0] == sdp.labels_[1] != sdp.labels_[2] == sdp.labels_[3]


# ---------------------------------------------------------------------- limits


def test_max_iter_and_time_limit():
    X, _ = circles()
    for settings_, status in (({"max_iter": 2}, "MAX_ITER"), ({"time_limit": 1e-9}, "TIME_LIMIT")):
        with pytest.warns(ConvergenceWarning, match=status):
            sdp = SDPMMC(random_state=0, **settings_).fit(X)
        assert sdp.result_.status.name == status
        assert sdp.lower_bound_ <= sdp.label_objective_
        assert sdp.verify(X).matches


def test_callback_and_interruption():
    X, _ = circles()
    seen = []

    def stop(iteration, M):
        seen.append((iteration, M.shape))
        return len(seen) == 3

    sdp = SDPMMC(solver="admm", random_state=0, callback=stop).fit(X)
    assert sdp.result_.status is Status.STOPPED
    assert [iteration.iteration for iteration, _ in seen] == [1, 2, 3]
    assert seen[0][1] == (40, 40)
    duals = [iteration.dual for iteration in sdp.result_.history]
    assert duals == sorted(duals)

    def press(iteration, M):
        if iteration.iteration == 2:
            raise KeyboardInterrupt

    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        sdp = SDPMMC(random_state=0, callback=press).fit(X)
    assert sdp.verify(X).matches


def test_a_narrow_kernel_warns():
    X, _ = circles()
    with pytest.warns(ConvergenceWarning, match=r"f\(M\) is \d+% of n.*lower gamma"):
        SDPMMC(gamma=1e4, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SDPMMC(random_state=0).fit(X)


# ---------------------------------------------------------------------- bad input


X8 = np.random.default_rng(0).normal(size=(8, 2))

K8 = rbf_kernel(X8)


@pytest.mark.parametrize(
    ("settings_", "X", "y", "links", "message"),
    [
        ({"kernel": "precomputed"}, np.diag([1.0, 1, 1, -1]), None, {}, "semidefinite"),
        ({"kernel": "precomputed"}, K8[:, :5], None, {}, "square"),
        ({"kernel": "precomputed"}, K8 + np.triu(K8), None, {}, "symmetric"),
        ({"kernel": "precomputed"}, np.ones((4, 4)), None, {}, "constant"),
        ({"kernel": lambda x, z: -1.0}, X8, None, {}, "semidefinite"),
        ({"kernel": lambda x: 1.0}, X8, None, {}, "two rows"),
        ({"kernel": "poly"}, X8, None, {}, "kernel must be"),
        ({"kernel": K8}, X8, None, {}, "kernel must be"),
        ({}, X8[:1], None, {}, "sample"),
        ({}, np.ones((5, 3)), None, {}, "all rows are the same"),
        ({"gamma": 1.0}, np.ones((5, 3)), None, {}, "all pairs of rows have the same value"),
        ({}, np.where(X8 > 0, np.nan, X8), None, {}, "NaN"),
        ({"C": 0.0}, X8, None, {}, "C must be"),
        ({"C": -1.0}, X8, None, {}, "C must be"),
        ({"gamma": 0.0}, X8, None, {}, "gamma"),
        ({"balance": -0.1}, X8, None, {}, "balance"),
        ({"balance": 1.0}, X8, None, {}, "one cluster"),
        ({"balance": 0.8, "n_clusters": 3}, X8, None, {}, r"less than 0\.707"),
        ({"n_clusters": 0}, X8, None, {}, "n_clusters must be an integer >= 1; got 0"),
        ({"n_clusters": 2.5}, X8, None, {}, "n_clusters must be an integer"),
        ({"n_components": 0}, X8, None, {}, "n_components"),
        ({"offset": -1.0}, X8, None, {}, "offset"),
        ({"solver": "interior"}, X8, None, {}, "solver must be one of"),
        ({"solver": "admm", "n_clusters": 3}, X8, None, {}, "solver='low_rank'"),
        ({"solver": "admm", "n_components": 3}, X8, None, {}, "solver='low_rank'"),
        (
            {"n_clusters": 3},
            X8,
            [0, 1, -1, -1, -1, -1, -1, -1],
            {},
            "with y. .*must_link; or use CPM3C",
        ),
        ({"n_clusters": 3}, X8, None, {"cannot_link": [(0, 1)]}, "clusters=3 with cannot_link"),
        (
            {"n_clusters": 3},
            X8,
            None,
            {"must_link": [(0, i) for i in range(1, 5)]},
            r"5 of 8 rows in one of 3 clusters, more than balance=.*raise balance to 0\.619",
        ),
        ({"n_clusters": 9}, X8, None, {}, "n_clusters=9 is more than the 8 rows, or groups"),
        (
            {"n_clusters": 3},
            X8,
            None,
            {"must_link": [(i, i + 1) for i in range(6)]},
            "2 rows, or groups",
        ),
        ({"kernel": "linear", "solver": "low_rank"}, np.ones((5, 3)), None, {}, "constant"),
        ({"kernel": lambda x, z: -1.0, "n_components": 3}, X8, None, {}, "semidefinite"),
        ({"kernel": "precomputed", "n_components": 3}, K8 + np.triu(K8), None, {}, "symmetric"),
        ({"kernel": "precomputed", "n_components": 3}, np.ones((4, 4)), None, {}, "constant"),
        ({"tol": 0.0}, X8, None, {}, "tol"),
        ({"max_iter": 0}, X8, None, {}, "max_iter"),
        ({"time_limit": 0.0}, X8, None, {}, "time_limit"),
        ({}, X8, [0, 0, -1, -1, -1, -1, -1, -1], {}, r"two classes; got \[0\]"),
        ({}, X8, [0, 1, 2, -1, -1, -1, -1, -1], {}, r"two classes; got \[0, 1, 2\]"),
        ({}, X8, [0, 1, -1], {}, "one label for each"),
        ({}, X8, [0, 1, np.nan, -1, -1, -1, -1, -1], {}, "got 1 labels such as 'nan'"),
        (
            {},
            X8,
            [0, 1, None, None, None, None, None, None],
            {},
            "-1 marks rows of unknown label",
        ),
        ({}, X8, ["a", "b", -1, -1, -1, -1, -1, -1], {}, "y must hold integers"),
        ({}, X8, None, {"must_link": 3}, "must be pairs.*got 3"),
        ({}, X8, None, {"must_link": [(0, 8)]}, r"from 0 to 7.*got \(0, 8\)"),
        ({}, X8, None, {"must_link": [0, 1]}, r"shape \(2,\)"),
        ({}, X8, None, {"cannot_link": [(0.5, 1.0)]}, "float64"),
        ({}, X8, None, {"cannot_link": [(0, 1), (2,)]}, "different lengths"),
        ({}, X8, None, {"must_link": [(0, 1)], "cannot_link": [(0, 1)]}, "contradict"),
        ({}, X8, None, {"must_link": [(0, i) for i in range(1, 6)]}, "raise balance to 0.5"),
    ],
)
def test_bad_input(settings_, X, y, links, message):
    with pytest.raises(ValueError, match=message):
        SDPMMC(**settings_).fit(X, y, **links)


def test_links_that_no_labelling_keeps_are_proven_to_be_so():
    """Three groups of the same size: no row's groups are out of balance, but any labelling is."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    groups = [(i, i + 1) for i in range(11) if i % 4 != 3]
    with pytest.raises(InfeasibleConstraintsError, match="raise balance"):
        SDPMMC(C=1.0, balance=0.1).fit(X, must_link=groups)


def test_links_that_only_the_relaxation_can_keep():
    """Five groups of two: their signs cannot balance, five directions can."""
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(ValueError, match=r"no labelling was found within balance=0\.1"):
        SDPMMC(C=1.0, balance=0.1).fit(X, must_link=[(i, i + 1) for i in range(0, 10, 2)])


@pytest.mark.parametrize("C", [1e-300, 1e-12, 1e9, 1e300])
def test_C_far_from_the_scale_of_the_kernel(C):
    message = r"C times the mean of k\(x, x\), which is 1, must be from 1e-10 to 1e\+08; got C="
    with pytest.raises(ValueError, match=message):
        SDPMMC(C=C, random_state=0).fit(X8)


@pytest.mark.parametrize("C", [1e-9, 1e8])
def test_C_at_the_ends_of_its_range_verifies(C):
    sdp = SDPMMC(C=C, random_state=0).fit(X8)
    assert sdp.verify(X8).matches


def test_a_tiny_kernel_matrix():
    with pytest.raises(ValueError, match="Change C, or scale the kernel"):
        SDPMMC(kernel="precomputed").fit(1e-300 * (X8 @ X8.T))


def test_methods_before_and_after_fit():
    with pytest.raises(NotFittedError):
        SDPMMC().predict(X8)
    sdp = SDPMMC(random_state=0).fit(X8)
    with pytest.raises(ValueError, match="8 training rows; got 3"):
        sdp.verify(X8[:3])
    with pytest.raises(ValueError, match="features"):
        sdp.predict(X8[:, :1])


def test_all_labels_known_are_ignored_with_a_warning():
    with pytest.warns(UserWarning, match="y is ignored"):
        SDPMMC(random_state=0).fit(X8, np.arange(8) % 2)


def test_a_fit_that_fails_leaves_the_earlier_one():
    sdp = SDPMMC(random_state=0).fit(X8)
    before = {name: value for name, value in vars(sdp).items() if name != "kernel"}
    scores = sdp.decision_function(X8)
    with pytest.raises(ValueError, match="raise balance"):
        sdp.fit(X8[:6] + 1, must_link=[(0, i) for i in range(1, 5)])
    with pytest.raises(ValueError, match="all pairs of rows have the same value"):
        sdp.set_params(kernel=lambda x, z: 1.0).fit(X8)
    sdp.set_params(kernel="rbf")
    assert all(vars(sdp)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(sdp.decision_function(X8), scores)


def test_nothing_is_left_of_an_earlier_fit():
    sdp = SDPMMC(kernel="linear", random_state=0).fit(X8)
    assert hasattr(sdp, "_weights")
    sdp.set_params(kernel="rbf", n_clusters=3).fit(X8)
    assert not hasattr(sdp, "_weights") and not hasattr(sdp, "soft_assignment_")


def test_one_cluster_has_all_rows_and_leaves_nothing_of_an_earlier_fit():
    sdp = SDPMMC(kernel="linear", random_state=0).fit(X8)
    before = dict(vars(sdp))
    with pytest.raises(ValueError, match="NaN"):
        sdp.set_params(n_clusters=1).fit(np.full((8, 2), np.nan))
    assert vars(sdp) == before | {"n_clusters": 1}
    sdp.fit(X8)
    assert {*vars(sdp)} - {*sdp.get_params()} == {
        "classes_",
        "labels_",
        "n_iter_",
        "n_features_in_",
    }
    assert not sdp.predict(X8).any() and sdp.decision_function(X8).shape == (len(X8), 1)
    with pytest.raises(ValueError, match="nothing was optimised"):
        sdp.verify(X8)
    with pytest.raises(ValueError, match="for two clusters; got n_clusters=1"):
        sdp.fit(X8, cannot_link=[(0, 1)])
