"""SDPMMC: labels, links, sizes, limits, bad input."""

from itertools import pairwise, product

import numpy as np
import pytest
from clustering_data import agreement
from scipy import sparse
from sdp_data import circles, margin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from structsvm import Status
from structsvm.exceptions import InfeasibleConstraintsError
from structsvm.problems import SDPMMC
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex

#: Few rows, of which the sizes of the clusters or the kernel say little.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
both_solvers = pytest.mark.parametrize("solver", ["admm", "low_rank"])


def fitted(X, *, y=None, must_link=None, cannot_link=None, **settings):
    model = SDPMMC(**{"random_state": 0, "tol": 0.05, **settings})
    return model.fit(X, y, must_link=must_link, cannot_link=cannot_link)


def test_the_classifier_is_the_support_vector_machine_of_the_labels():
    X, _ = circles(24)
    sdp = fitted(X, gamma=8.0, offset=0.5, C=2.0, solver="admm")
    y, K = 2.0 * sdp.labels_ - 1, rbf_kernel(X, gamma=8.0) + 0.5
    scores = K @ sdp.dual_coef_
    assert sdp.intercept_ == pytest.approx(0.5 * sdp.dual_coef_.sum())
    np.testing.assert_allclose(sdp.decision_function(X), scores)
    primal = sdp.dual_coef_ @ K @ sdp.dual_coef_ + 2 * 2.0 * np.maximum(0, 1 - y * scores).sum()
    assert primal == pytest.approx(sdp.label_objective_, rel=1e-6)


def test_attributes_belong_together():
    X, _ = circles(24)
    sdp = fitted(X, solver="admm", tol=0.01)
    np.testing.assert_allclose(sdp.M_.diagonal(), np.ones(24))
    assert np.linalg.eigvalsh(sdp.M_).min() > -1e-9
    assert np.abs(sdp.M_.mean(axis=0)).max() <= 0.1 + sdp.max_violation_ + 1e-12
    assert sdp.max_violation_ <= 0.01
    assert (sdp.objective_ - sdp.lower_bound_) / sdp.objective_ <= 0.01
    assert sdp.label_gap_ == sdp.label_objective_ - sdp.lower_bound_
    assert np.mean((sdp.soft_assignment_ > 0) == (sdp.labels_ == 1)) > 0.9
    assert sdp.n_iter_ == sdp.result_.iterations == len(sdp.result_.history)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "settings",
    [
        {"solver": "admm", "tol": 1e-4, "balance": 0.0},
        {"solver": "admm", "tol": 1e-4},
        {"solver": "low_rank", "n_clusters": 3, "balance": 0.0},
        {"solver": "low_rank", "offset": 3.0},
    ],
    ids=str,
)
def test_the_labels_of_few_rows_are_the_best_of_all_labellings(settings, seed):
    X = np.random.default_rng(seed).normal(size=(6 if "n_clusters" in settings else 8, 2))
    sdp = fitted(X, **{"gamma": 0.5, "C": 20.0, "balance": 0.25, **settings})
    K, k = rbf_kernel(X, gamma=0.5) + sdp.offset, sdp.n_clusters
    most = len(X) * sdp.balance + 1e-9
    labellings = (simplex(k)[list(y)] for y in product(range(k), repeat=len(X)))
    least = min(
        margin(K, 20.0, codes @ codes.T)
        for codes in labellings
        if np.linalg.norm(codes.sum(axis=0)) <= most
    )
    assert sdp.label_objective_ == pytest.approx(least, rel=2e-3)
    if k > 2:
        scores = K @ sdp.dual_coef_ @ simplex(k).T
        np.testing.assert_allclose(sdp.decision_function(X), scores)
    assert 0.1 * least < sdp.lower_bound_ <= least * (1 + 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0.0, 2.0])
def test_both_solvers_agree(offset):
    X, inner = circles(24)
    admm, low_rank = (
        fitted(X, solver=solver, offset=offset, tol=0.01) for solver in ("admm", "low_rank")
    )
    # The balance of the sum is stricter than the balance of each row, above all with an offset.
    assert low_rank.lower_bound_ >= (1.5 if offset else 0.98) * admm.lower_bound_
    if not offset:
        assert low_rank.objective_ == pytest.approx(admm.objective_, rel=0.03)
    assert agreement(low_rank.labels_, inner) == 1
    np.testing.assert_array_equal(low_rank.labels_, admm.labels_)
    assert low_rank.label_objective_ == pytest.approx(admm.label_objective_, rel=1e-3)
    np.testing.assert_allclose(
        low_rank.decision_function(X), admm.decision_function(X), rtol=0.05, atol=0.05
    )


# ---------------------------------------------------------------------- sizes


@pytest.mark.sampled(2)
@pytest.mark.parametrize("k", [2, 4])
def test_no_cluster_is_empty_at_the_largest_balance(k):
    X = np.random.default_rng(0).normal(size=(20, 2))
    X[10:] += 9
    sdp = fitted(X, n_clusters=k, balance=np.nextafter(1 / np.sqrt(k - 1), 0), solver="low_rank")
    assert len(np.unique(sdp.labels_)) == k


# ---------------------------------------------------------------------- labels and links


@pytest.mark.sampled(2)
@both_solvers
def test_known_labels_are_kept_and_decide_the_names(solver):
    X, inner = circles(24)
    y = np.full(len(X), -1)
    y[:6] = np.where(inner[:6], 7, 3)
    assert len(set(y[:6])) == 2
    sdp = fitted(X, y=y, solver=solver)
    np.testing.assert_array_equal(sdp.classes_, [3, 7])
    np.testing.assert_array_equal(sdp.labels_, np.where(inner, 7, 3))
    np.testing.assert_array_equal(sdp.predict(X), sdp.labels_)
    signs = np.where(y[:6] == 7, 1.0, -1.0)
    np.testing.assert_allclose(sdp.M_[:6, :6], np.outer(signs, signs))  # S1
    if solver == "admm":
        assert np.all(sdp.M_[:6].sum(axis=0)[6:] >= 2 - 6 - 1e-9)  # S2
        assert np.all((sdp.soft_assignment_ > 0) == (sdp.labels_ == 7))


@pytest.mark.sampled(2)
@both_solvers
def test_links_are_kept(solver):
    X, inner = circles(24)
    pairs = iter([(0, 1)])  # any iterable of pairs
    sdp = fitted(X, must_link=pairs, cannot_link=[(2, 3), (3, 4)], solver=solver)
    labels = sdp.labels_
    assert labels[0] == labels[1]
    assert labels[2] != labels[3] != labels[4]
    assert sdp.M_[2, 4] == pytest.approx(1)
    pairs = list(pairwise(np.flatnonzero(inner == 0)))
    easy = fitted(X, must_link=pairs, solver=solver)
    assert agreement(easy.labels_, inner) == 1
    if solver == "admm":
        assert easy.result_.Z.shape == (len(X) - len(pairs),) * 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(2))
def test_groups_that_fit_in_one_way_alone(seed):
    X = np.random.default_rng(seed).normal(size=(18, 2))
    ends = np.cumsum([3, 3, 2, 2, 2, 3, 3])
    links = [(i, i + 1) for i in range(17) if i + 1 not in ends]
    sdp = fitted(X, n_clusters=3, balance=0, must_link=links, cannot_link=[])
    assert np.bincount(sdp.labels_).tolist() == [6, 6, 6]
    assert all(sdp.labels_[i] == sdp.labels_[j] for i, j in links)
    assert sdp.verify(X).matches


def test_links_that_no_labelling_keeps_are_proven_to_be_so():
    """Three groups of the same size: no row's groups are out of balance, but any labelling is."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    groups = [(i, i + 1) for i in range(11) if i % 4 != 3]
    with pytest.raises(InfeasibleConstraintsError, match="raise balance"):
        fitted(X, C=1.0, tol=0.01, must_link=groups)
    with pytest.raises(ValueError, match="raise balance"):
        fitted(X, C=1.0, solver="low_rank", max_iter=10, must_link=groups)
    # Five groups of two: their signs cannot balance, five directions can.
    with pytest.raises(ValueError, match=r"no labelling was found within balance=0\.1"):
        fitted(X[:10], C=1.0, must_link=[(i, i + 1) for i in range(0, 10, 2)])


# ---------------------------------------------------------------------- limits


@pytest.mark.sampled(2)
@both_solvers
def test_callback_interruption_and_limit(solver):
    X, _ = circles(24)
    seen = []

    def stop(iteration, M):
        seen.append((iteration.iteration, M.shape))
        return len(seen) == 3

    sdp = fitted(X, solver=solver, tol=1e-9, callback=stop)
    assert sdp.result_.status is Status.STOPPED
    assert seen == [(i, (24, 24 if solver == "admm" else seen[0][1][1])) for i in (1, 2, 3)]
    duals = [iteration.dual for iteration in sdp.result_.history]
    assert duals == sorted(duals)

    def press(iteration, M):
        if iteration.iteration == 2:
            raise KeyboardInterrupt

    for settings, status in (({"callback": press}, "INTERRUPTED"), ({"max_iter": 2}, "MAX_ITER")):
        with pytest.warns(ConvergenceWarning, match=status):
            sdp = fitted(X, solver=solver, tol=1e-9, **settings)
        assert sdp.result_.status.name == status
        assert sdp.lower_bound_ <= sdp.label_objective_
        assert sdp.verify(X).matches


# ---------------------------------------------------------------------- bad input


X8 = np.random.default_rng(0).normal(size=(8, 2))
K8 = rbf_kernel(X8)
THREE, FEATURES = {"n_clusters": 3}, {"n_components": 3}
GIVEN = {"kernel": "precomputed"}


def some(*labels):
    """Labels of the first rows."""
    return [*labels, *[-1] * (8 - len(labels))]


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({"kernel": K8}, X8, "must be one of"),
        ({"balance": 1.0}, X8, "one cluster"),
        ({"balance": 0.8, **THREE}, X8, r"less than 0\.707"),
        ({"n_components": 0}, X8, "n_components"),
        ({"solver": "admm", **THREE}, X8, "solver='low_rank'"),
        ({"solver": "admm", **FEATURES}, X8, "solver='low_rank'"),
        ({"n_clusters": 9}, X8, "n_clusters=9 is more than the 8 rows, or groups"),
        ({"kernel": lambda x, z: -1.0, **FEATURES}, X8, "semidefinite"),
        ({**GIVEN, **FEATURES}, K8 + np.triu(K8), "symmetric"),
        ({**GIVEN, **FEATURES}, np.ones((4, 4)), "constant"),
        (GIVEN, 1e-300 * (X8 @ X8.T), "Change C, or scale the kernel"),
        *(({"C": C}, X8, r"must be from 1e-10 to 1e\+08; got C=") for C in (1e-12, 1e9)),
    ],
)
def test_unusable_settings(settings, X, message):
    with pytest.raises(ValueError, match=message):
        fitted(X, **settings)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({**THREE, "y": some(0, 1)}, "with y. .*must_link; or use CPM3C"),
        ({**THREE, "cannot_link": [(0, 1)]}, "clusters=3 with cannot_link"),
        ({"n_clusters": 1, "cannot_link": [(0, 1)]}, "for two clusters; got n_clusters=1"),
        (
            {**THREE, "must_link": [(0, i) for i in range(1, 5)]},
            r"5 of 8 rows in one of 3 clusters, more than balance=.*raise balance to 0\.619",
        ),
        (
            {"n_clusters": 4, "must_link": [(0, i) for i in range(1, 5)]},
            r"5 of 8 rows in one of 4 .* allows; remove links",
        ),
        ({**THREE, "must_link": [(i, i + 1) for i in range(6)]}, "2 rows, or groups"),
        ({"y": some(0, 0)}, r"two classes; got \[0\]"),
        ({"y": some("a", "b")}, "y must hold integers"),
        ({"must_link": 3}, "must be pairs.*got 3"),
        ({"must_link": [(0, 8)]}, r"from 0 to 7.*got \(0, 8\)"),
        ({"cannot_link": [(0.5, 1.0)]}, "float64"),
        ({"cannot_link": [(0, 1), (2,)]}, "different lengths"),
        ({"must_link": [(0, 1)], "cannot_link": [(0, 1)]}, "contradict"),
        ({"must_link": [(0, i) for i in range(1, 6)]}, "raise balance to 0.5"),
    ],
)
def test_unusable_labels_and_links(given, message):
    with pytest.raises(ValueError, match=message):
        fitted(X8, **given)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("C", [1e-9, 1e8])
def test_C_at_the_ends_of_its_range_verifies(C):
    assert fitted(X8, C=C).verify(X8).matches


def test_one_cluster_has_all_rows_and_nothing_is_left_of_an_earlier_fit():
    sdp = SDPMMC(kernel="linear", random_state=0).fit(X8)
    assert hasattr(sdp, "_weights")
    sdp.set_params(kernel="rbf", n_clusters=3).fit(X8)
    assert not hasattr(sdp, "_weights") and not hasattr(sdp, "soft_assignment_")
    sdp.set_params(n_clusters=1).fit(sparse.csr_matrix(X8))
    made = {"classes_", "labels_", "n_iter_", "n_features_in_"}
    assert {*vars(sdp)} - {*sdp.get_params()} == made
    assert not sdp.predict(X8).any() and sdp.decision_function(X8).shape == (len(X8), 1)
    with pytest.raises(ValueError, match="nothing was optimised"):
        sdp.verify(X8)
    with pytest.raises(ValueError, match="NaN"):
        sdp.fit(np.full((8, 2), np.nan))
