"""Laws of all maximum margin clusterers, over the table CLUSTERERS."""

import warnings
from functools import cache

import numpy as np
import pytest
from clustering_data import (
    CLUSTERERS,
    SEARCHING,
    blobs,
    clusterer,
    clusters_of,
    data_for,
    each,
    fitted,
    quietly,
    searching,
)
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.data.labels import in_order
from structsvm.problems import CPM3C, MMC, SDPMMC, BayesianMMC, MultivariateMMC


@pytest.mark.sampled(3)
@each
def test_plain_clusters_are_found_predicted_and_verified(name):
    (X, truth), model = data_for(name), fitted(name)
    assert adjusted_rand_score(truth, model.labels_) == 1
    np.testing.assert_array_equal(model.labels_, in_order(model.labels_))
    np.testing.assert_array_equal(clusterer(name).fit_predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    new, classes = data_for(name, seed=1)
    assert adjusted_rand_score(classes, model.predict(new)) > 0.9
    if hasattr(model, "predict_proba"):
        scores = model.predict_proba(new)
        np.testing.assert_allclose(scores.sum(axis=1), 1)
    else:
        scores = model.decision_function(new)
        assert model.verify(X).matches
        assert not model.verify(2 * X + X[::-1]).matches
        with pytest.raises(ValueError, match=rf"{len(X)} training rows; got 7"):
            model.verify(X[:7])
    decided = scores > 0 if scores.ndim == 1 else scores.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(new), decided)


@pytest.mark.sampled(9)
@each
def test_a_seed_gives_equal_bits(name):
    X = np.random.default_rng(0).normal(size=(20, 3))  # with many local optima
    one, other = (quietly(clusterer(name), X) for _ in range(2))
    assert one.n_iter_ == other.n_iter_ and one.result_.primal == other.result_.primal
    scores = "predict_proba" if hasattr(one, "predict_proba") else "decision_function"
    np.testing.assert_array_equal(getattr(one, scores)(X), getattr(other, scores)(X))


#: The same rows, with an entry that is 0, written otherwise.
CHANGES = {
    "units and shift": lambda X: 1e-5 * (X + np.array([10, -200])),
    "constant": lambda X: np.column_stack([X, np.full(len(X), 7.0), np.zeros(len(X))]),
    "rotation": lambda X: X @ np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0],
    "order": lambda X: X[::-1],
    "float32": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_matrix,
}


@cache
def unwritten(name):
    """Rows with zeros, and a model of them in their own features."""
    X, _ = data_for(name)
    X[np.abs(X) < 0.5] = 0
    return X, quietly(clusterer(name), X)


@pytest.mark.sampled(31)
@each
@pytest.mark.parametrize("change", CHANGES)
def test_clusters_do_not_depend_on_how_the_rows_are_written(name, change):
    X, model = unwritten(name)
    other = quietly(clusterer(name), CHANGES[change](X))
    expected = model.labels_[::-1] if change == "order" else model.labels_
    np.testing.assert_array_equal(other.labels_, in_order(expected))
    np.testing.assert_array_equal(other.predict(CHANGES[change](X)), other.labels_)
    assert other.result_.primal == pytest.approx(model.result_.primal, rel=0.05)
    if change == "sparse":
        np.testing.assert_array_equal(other.predict(X), other.labels_)


# ---------------------------------------------------------------------- copies of rows

SPOTS = np.random.default_rng(5).normal(size=(8, 3))
#: Clusterers, their searches and their kernels.
COPIED = [
    model.set_params(search=search, n_init=2)
    for search in ("evolutionary", "cccp")
    for model in (
        MMC(), CPM3C(4, balance=0.5), CPM3C(3, min_cluster_size=0.0), MultivariateMMC(2),
        MultivariateMMC(3, loss="rand"), *(CPM3C(3, kernel=k) for k in ("auto", "rbf", "whiten")),
    )
]  # fmt: skip
BALANCED = [
    SDPMMC(balance=0.9), SDPMMC(n_clusters=3, balance=0.6), BayesianMMC(2),
    BayesianMMC(3, offset=0.01),
]  # fmt: skip
#: Numbers of copies of each of some rows.
COUNTS = [(10, 10), (18, 1, 1), (1, 1, 40, 1, 1, 6)]


@pytest.mark.sampled(13)
@pytest.mark.parametrize(
    ("model", "counts"),
    [
        *((model, counts) for model in COPIED for counts in COUNTS),
        *((model, counts) for model in BALANCED for counts in [(10, 10, 10), (12, 8, 9, 10)]),
    ],
    ids=str,
)
def test_copies_share_a_cluster_and_empty_ones_are_named(model, counts):
    model = clone(model).set_params(random_state=0)
    which = np.random.default_rng(1).permutation(np.repeat(np.arange(len(counts)), counts))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        labels = model.fit(SPOTS[which]).labels_
    assert len(set(zip(which, labels, strict=True))) == len(counts)
    np.testing.assert_array_equal(labels, in_order(labels))
    empty = getattr(model, "n_clusters", 2) - len(np.unique(labels))
    assert empty <= 0 or len(counts) < model.n_clusters or model.min_cluster_size == 0
    assert bool(empty) == any("empty, because" in str(one.message) for one in seen)


@pytest.mark.sampled(5)
@searching
def test_every_row_three_times(name):
    X, _ = data_for(name)
    model = clusterer(name, kernel="linear")
    one, three = (clone(model).fit(data) for data in (X, np.repeat(X, 3, axis=0)))
    np.testing.assert_array_equal(np.repeat(one.labels_, 3), three.labels_)
    assert three.C_ == pytest.approx(one.C_)
    assert three.objective_ == pytest.approx(one.objective_, rel=0.05)


@pytest.mark.sampled(9)
@each
def test_few_rows_leave_no_cluster_empty(name):
    k = clusters_of(name)
    for n in (k, 2 * k + 1):
        X = np.random.default_rng(1).normal(size=(n, 4))
        labels = quietly(clusterer(name), X).labels_
        assert np.bincount(labels, minlength=k).min() >= 1


@pytest.mark.sampled(3)
@searching
def test_a_cluster_of_a_single_row_joins_another(name):
    """Clusters have a least size: of n rows, .05 n for two clusters and .2 n / k for more."""
    k = clusters_of(name)
    X = np.vstack([blobs(k - 1, each=40)[0], [[100.0, 100.0]]])
    labels = quietly(clusterer(name, kernel="linear"), X).labels_
    assert np.bincount(labels, minlength=k).min() >= int((0.05 if k == 2 else 0.2 / k) * len(X))


# ---------------------------------------------------------------------- kernels


@pytest.mark.sampled(7)
@searching
@pytest.mark.parametrize("kernel", ["rbf", "poly", "whiten", "diffusion"])
def test_features_on_new_rows(name, kernel):
    X, truth = data_for(name, each=40)
    model = clusterer(name, kernel=kernel).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert adjusted_rand_score(model.labels_, truth) > 0.9
    new, classes = data_for(name, each=40, seed=1)
    assert adjusted_rand_score(model.predict(new), classes) > 0.9
    assert not hasattr(model, "coef_")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "model",
    [
        MMC(kernel="rbf", gamma=0.2, n_init=2, rtol=1e-7),
        SDPMMC(kernel="rbf", gamma=0.2, solver="admm", tol=0.1),
        SDPMMC(kernel="rbf", gamma=0.2, solver="low_rank", max_iter=3),
        BayesianMMC(kernel="rbf", length_scale=np.sqrt(2.5), n_init=1),
    ],
    ids=["MMC", "SDPMMC", "SDPMMC low rank", "BayesianMMC"],
)
def test_named_callable_and_precomputed_kernels_agree(model):
    X, _ = blobs(2, each=12)
    new, model = X[:7] + 0.1, model.set_params(random_state=0)
    plain = {"length_scale": None} if isinstance(model, BayesianMMC) else {}
    called, given = (
        clone(model).set_params(kernel=kernel, **plain)
        for kernel in (lambda a, b: np.exp(-0.2 * np.sum((a - b) ** 2)), "precomputed")
    )
    quietly(model, X)
    scores = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    expected = scores(new)
    for other, rows, more in (
        (called, X, new),
        (given, rbf_kernel(X, gamma=0.2), rbf_kernel(new, X, gamma=0.2)),
        (clone(model), sparse.csr_matrix(X), sparse.csr_matrix(new)),
    ):
        quietly(other, rows)
        np.testing.assert_array_equal(other.labels_, model.labels_)
        assert other.result_.primal == pytest.approx(model.result_.primal, rel=1e-6)
        found = getattr(other, scores.__name__)(more)
        np.testing.assert_allclose(found, expected, atol=1e-4)


# ---------------------------------------------------------------------- limits


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "more"),
    [
        *((name, {"search": s}) for name in SEARCHING for s in ("evolutionary", "cccp")),
        *((name, {}) for name in CLUSTERERS if name not in SEARCHING),
    ],
)
def test_a_time_limit_keeps_the_best_so_far(name, more):
    X, _ = data_for(name)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        limited = clusterer(name, time_limit=1e-6, **more).fit(X)
    assert limited.result_.status.name == "TIME_LIMIT"
    if name.startswith("SDP") or more.get("search") == "evolutionary":
        assert limited.n_iter_ < fitted(name).n_iter_
    assert not hasattr(limited, "verify") or limited.verify(X).matches


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.where(np.eye(4), np.inf, 1.0), "NaN or infinity, first in row 0"),
        (np.tile([1.0, 2.0, 3.0], (30, 1)), "at least two different rows; all rows are the same"),
        (sparse.csr_matrix(np.zeros((5, 3))), "at least two different rows"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("error")
def test_unusable_rows(X, message):
    for name in CLUSTERERS:
        with pytest.raises(ValueError, match=message):
            clusterer(name).fit(X)


@pytest.mark.sampled(3)
@searching
def test_rows_too_far_from_0_for_single_precision(name):
    X = (np.random.default_rng(0).normal(size=(30, 3)) + 1e6).astype(np.float32)
    message = r"precision of float32 beside their mean: they are 1\..e\+00 from it.* is 1.7e\+06\."
    with pytest.raises(ValueError, match=message + " If they do differ, subtract the mean"):
        clusterer(name).fit(X)
    quietly(clusterer(name, n_init=1), X - X.mean(axis=0))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(({"balance": size}, "balance must be a finite number >= 0") for size in (-0.1, np.nan)),
        *(
            ({"min_cluster_size": size}, "min_cluster_size must be")
            for size in (0.5, -1, "a", 10**400, np.ones(2), np.nan)
        ),
        *(({"kernel": "rbf", "gamma": gamma}, "gamma") for gamma in ("auto", -1.0, 0)),
        ({"kernel": "poly", "degree": 0}, "degree"),
        ({"tol": 0.0}, "tol"),
        ({"offset": -1.0}, "offset"),
        ({"n_clusters": 2.0}, r"n_clusters must be an integer >= \d; got 2.0"),
        ({"n_clusters": 21}, "n_clusters=21"),
    ],
)
def test_unusable_parameters(parameters, message):
    X = np.random.default_rng(0).normal(size=(20, 2))
    some = [n for n, model in CLUSTERERS.items() if parameters.keys() <= vars(model).keys()]
    assert some
    for name in some:
        with pytest.raises(ValueError, match=message):
            clusterer(name, **parameters).fit(X)


@pytest.mark.parametrize(
    ("kernel", "X", "message"),
    [
        ("precomputed", np.ones((6, 4)), "square"),
        ("precomputed", np.triu(np.ones((6, 6))), "must be symmetric"),
        ("precomputed", np.diag([1.0, -1, 1, 1, 1, 1]), "positive semidefinite"),
        (lambda x: 1.0, np.eye(5), "take two rows and return a number; it raised TypeError"),
        (lambda x, y: x, np.eye(5), "take two rows and return a number"),
        (lambda x, y: np.nan, np.eye(5), "finite numbers; it gave NaN or infinity"),
        (lambda x, y: 1.0, np.eye(5), "constant|all pairs of rows have the same value"),
    ],
)
def test_unusable_kernels(kernel, X, message):
    for name in CLUSTERERS:
        with pytest.raises(ValueError, match=message):
            clusterer(name, kernel=kernel).fit(X)


def test_the_number_of_clusters_may_be_a_numpy_integer():
    labels = clusterer("CPM3C-3", n_clusters=np.uint8(3)).fit_predict(data_for("CPM3C-3")[0])
    np.testing.assert_array_equal(labels, fitted("CPM3C-3").labels_)
    with pytest.raises(ValueError, match=r"CPM3C\(n_clusters=3\)"):
        CPM3C().fit(np.eye(4))
