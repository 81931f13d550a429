"""MMC as a clusterer."""

import tracemalloc
import warnings
from itertools import product

import numpy as np
import pytest
from clustering_data import agreement
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.datasets import digits_pair
from structsvm.problems import MMC


def labelings(n):
    return (np.array(y, dtype=np.int8) for y in product((-1, 1), repeat=n))


# ---------------------------------------------------------------------- the clusterer


def blobs(n=60, d=3, apart=3.0, seed=0, share=0.5):
    rng = np.random.default_rng(seed)
    truth = (np.arange(n) < share * n).astype(int)
    X = rng.normal(size=(n, d))
    X[:, 0] += apart * truth
    return X, truth


def same_clusters(a, b):
    return np.array_equal(a, b) or np.array_equal(a, 1 - b)


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("pair", "least"), [((3, 8), 0.96), ((1, 7), 0.999), ((2, 7), 0.999), ((8, 9), 0.955)]
)
def test_digit_pairs(digits, pair, least):
    X, y = digits
    chosen = np.isin(y, pair)
    mmc = MMC(kernel="linear", n_init=10, random_state=0).fit(X[chosen])
    assert agreement(mmc.labels_, y[chosen] == pair[0]) >= least
    mmc = MMC(kernel="diffusion", random_state=0).fit(X[chosen])
    assert agreement(mmc.labels_, y[chosen] == pair[0]) >= 0.98
    mmc = MMC(random_state=0).fit(X[chosen])
    assert agreement(mmc.labels_, y[chosen] == pair[0]) >= 0.95


@pytest.mark.parametrize("balance", [0.0, 0.3])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_the_objective_is_the_one_documented(balance, C):
    X, _ = blobs(share=0.4)
    mmc = MMC(C=C, balance=balance, kernel="linear", random_state=0).fit(X)
    f = mmc.decision_function(X)
    w = mmc.result_.w
    assert mmc.objective_ == pytest.approx(
        0.5 * w @ w + C * np.maximum(0, 1 - np.abs(f)).mean(), rel=1e-9
    )
    assert abs(f.mean()) <= balance + 1e-6
    scale = np.sqrt(np.square(X - X.mean(axis=0)).sum(axis=1).mean())
    np.testing.assert_allclose(mmc.coef_[0], w[: X.shape[1]] / scale)
    np.testing.assert_allclose(f, X @ mmc.coef_[0] + mmc.intercept_, atol=1e-9)
    np.testing.assert_array_equal(mmc.labels_, (f >= 0).astype(int))
    np.testing.assert_array_equal(mmc.labels_, mmc.predict(X))


def test_the_best_of_all_labelings_of_a_small_set_is_found():
    X, _ = blobs(n=8, d=2, seed=3)
    mmc = MMC(C=10.0, n_init=30, random_state=0).fit(X)
    x = (X - X.mean(axis=0)) / mmc.problem_.rows_.scale
    from scipy.optimize import minimize

    def convex(y):
        """min 1/2|w|^2 + C mean of hinges, as a smooth program in w and the slacks."""

        def value(z):
            return 0.5 * z[:2] @ z[:2] + 10.0 * z[2:].mean()

        margins = {"type": "ineq", "fun": lambda z: y * (x @ z[:2]) - 1 + z[2:]}
        bounds = [(None, None)] * 2 + [(0, None)] * 8
        return minimize(
            value, np.r_[0, 0, np.ones(8)], bounds=bounds, constraints=[margins], method="SLSQP"
        ).fun

    best = min(convex(y) for y in labelings(8) if y[0] == 1)
    assert mmc.objective_ == pytest.approx(best, rel=2e-3)


@pytest.mark.sampled(11)
@pytest.mark.parametrize(
    "change",
    [
        lambda X: 1000 * X,
        lambda X: X * 1e-5,
        lambda X: X + np.array([10, -200, 3]),
        lambda X: np.hstack([X, np.full((len(X), 1), 7.0)]),
        lambda X: X[:, ::-1],
        lambda X: X @ np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0],
        lambda X: np.asfortranarray(X),
        lambda X: X.astype(np.float32),
    ],
    ids=["units", "tiny", "shift", "constant", "columns", "rotation", "fortran", "float32"],
)
def test_clusters_do_not_depend_on_how_the_data_are_written(change):
    X, _ = blobs()
    one, two = (MMC(C=10, random_state=0).fit(data) for data in (X, change(X)))
    assert same_clusters(one.labels_, two.labels_)
    assert two.objective_ == pytest.approx(one.objective_, rel=3e-3)


def test_clusters_do_not_depend_on_the_order_of_the_rows():
    X, _ = blobs()
    order = np.random.default_rng(0).permutation(len(X))
    one, two = (MMC(C=10, random_state=0).fit(data) for data in (X, X[order]))
    assert same_clusters(one.labels_[order], two.labels_)


def test_repeated_rows_change_nothing():
    X, _ = blobs()
    mmc = MMC(C=10, kernel="linear", random_state=0)
    one, two = (clone(mmc).fit(data) for data in (X, np.vstack([X, X, X])))
    assert same_clusters(np.tile(one.labels_, 3), two.labels_)
    assert two.objective_ == pytest.approx(one.objective_, rel=3e-3)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_sparse_data_give_the_same_clusters(kind):
    X, _ = blobs()
    X[np.abs(X) < 0.5] = 0
    one, two = (MMC(C=10, random_state=0).fit(data) for data in (X, kind(X)))
    assert same_clusters(one.labels_, two.labels_)
    np.testing.assert_array_equal(two.predict(kind(X)), two.predict(X))


def test_sparse_data_stay_sparse():
    rng = np.random.default_rng(0)
    n, d = 1000, 100_000
    columns = np.r_[rng.integers(0, 100, 5 * n), rng.integers(100, d, 5 * n)]
    columns[: 5 * n] += 50 * (np.repeat(np.arange(n), 5) % 2)
    rows = np.r_[np.repeat(np.arange(n), 5), np.repeat(np.arange(n), 5)]
    X = sparse.csr_matrix((np.ones(10 * n), (rows, columns)), (n, d))
    tracemalloc.start()
    MMC(n_init=2, random_state=0, max_iter=60, balance=0.1).fit(X).predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * d * 8 / 4


def test_unequal_clusters_need_balance():
    X, truth = blobs(n=200, apart=6.0, share=0.2)
    mmc = MMC(C=10.0, balance=0.7, random_state=0).fit(X)
    assert agreement(mmc.labels_, truth) > 0.97


def moons(seed):
    return make_moons(200, noise=0.03, random_state=seed)


def circles(seed):
    return make_circles(200, noise=0.03, factor=0.3, random_state=seed)


@pytest.mark.parametrize(("make", "gamma"), [(moons, 5.0), (circles, 2.0)])
def test_rbf_kernel_parts_what_no_line_parts(make, gamma):
    X, truth = make(0)
    mmc = MMC(kernel="rbf", gamma=gamma, n_init=5, random_state=0).fit(X)
    assert agreement(mmc.labels_, truth) == 1.0
    plain = MMC(kernel="linear", n_init=5, random_state=0).fit(X)
    assert agreement(plain.labels_, truth) < 0.9
    new, classes = make(1)
    same_names = mmc.labels_[0] == truth[0]
    assert np.mean((mmc.predict(new) == classes) == same_names) == 1.0
    assert not hasattr(mmc, "coef_")


def test_precomputed_and_callable_kernels_are_their_kernel():
    X, _ = blobs()
    new = X[:7] + 0.1
    named = MMC(kernel="rbf", gamma=0.2, random_state=0, rtol=1e-7).fit(X)
    of_rows = lambda a, b: np.exp(-0.2 * np.sum((a - b) ** 2))  # noqa: E731
    called = MMC(kernel=of_rows, random_state=0, rtol=1e-7).fit(X)
    given = MMC(kernel="precomputed", random_state=0, rtol=1e-7).fit(rbf_kernel(X, X, gamma=0.2))
    for other, data in ((called, new), (given, rbf_kernel(new, X, gamma=0.2))):
        assert same_clusters(named.labels_, other.labels_)
        assert other.objective_ == pytest.approx(named.objective_, rel=1e-6)
        np.testing.assert_allclose(
            np.abs(other.decision_function(data)), np.abs(named.decision_function(new)), atol=1e-4
        )


def test_linear_precomputed_kernel_is_linear():
    X, _ = blobs()
    one = MMC(C=10, random_state=0).fit(X)
    two = MMC(C=10, kernel="precomputed", random_state=0).fit(X @ X.T)
    assert same_clusters(one.labels_, two.labels_)
    assert two.objective_ == pytest.approx(one.objective_, rel=3e-3)


def test_a_random_state_gives_equal_bits():
    X, _ = blobs(apart=1.0)
    first = MMC(random_state=5, n_init=4).fit(X)
    again = MMC(random_state=5, n_init=4).fit(X)
    np.testing.assert_array_equal(first.result_.w, again.result_.w)
    np.testing.assert_array_equal(first.labels_, again.labels_)


def test_more_starts_are_never_worse():
    X, _ = blobs(apart=0.5, n=40)
    few, many = (MMC(kernel="linear", random_state=0, n_init=n).fit(X) for n in (1, 12))
    assert many.objective_ <= few.objective_ * (1 + 1e-3)


def test_fit_predict_is_labels():
    X, _ = blobs()
    np.testing.assert_array_equal(
        MMC(random_state=0).fit_predict(X), MMC(random_state=0).fit(X).labels_
    )


def test_rows_that_only_the_size_bound_holds_are_warned_of():
    X = np.vstack([np.random.default_rng(0).normal(size=(30, 2)) * 0.01, [[100.0, 0.0]]])
    with pytest.warns(
        ConvergenceWarning,
        match=r"cluster \d is as small as min_cluster_size=0.4 .* rows that score higher",
    ):
        mmc = MMC(C=10, balance=10, min_cluster_size=0.4, random_state=0).fit(X)
    assert np.bincount(mmc.labels_).min() == int(0.4 * 31)


def test_two_rows():
    mmc = MMC(random_state=0).fit([[0.0], [1.0]])
    assert sorted(mmc.labels_) == [0, 1]


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, r"\bC\b"),
        ({"C": -1.0}, r"\bC\b"),
        ({"C": np.nan}, r"\bC\b"),
        ({"C": "big"}, r"\bC\b"),
        ({"balance": -0.1}, "balance must be a finite number >= 0; got -0.1"),
        ({"balance": np.nan}, "balance must be"),
        ({"balance": "a"}, "balance must be"),
        ({"n_init": 0}, "n_init must be an integer >= 1; got 0"),
        ({"n_init": 2.5}, "n_init must be an integer >= 1; got 2.5"),
        ({"min_cluster_size": 0.5}, r"min_cluster_size must be in \[0, 0.5\), .* got 0.5"),
        ({"min_cluster_size": -1}, "min_cluster_size must be"),
        ({"min_cluster_size": "a"}, "min_cluster_size must be"),
        ({"kernel": "sigmoid"}, "kernel must be one of .* got 'sigmoid'"),
        ({"kernel": None}, "kernel must be one of .* got None"),
        ({"rtol": -1.0}, "rtol"),
        ({"max_iter": 0}, "max_iter"),
        ({"kernel": "rbf", "gamma": -1.0}, "gamma"),
        ({"kernel": "rbf", "gamma": "auto"}, "gamma"),
        ({"kernel": "poly", "degree": 0}, "degree"),
    ],
)
def test_unusable_parameters(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        MMC(**parameters).fit(blobs()[0])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.where(np.eye(4), np.nan, 1.0), "NaN"),
        (np.where(np.eye(4), np.inf, 1.0), "infinity"),
        (np.ones((1, 3)), "minimum of 2 is required"),
        (np.ones((5, 3)), "all rows are the same"),
        (sparse.csr_matrix(np.ones((5, 3))), "all rows are the same"),
        (np.zeros((5, 3)), "all rows are the same"),
        (np.empty((0, 3)), "X has no rows"),
        (np.empty((3, 0)), "0 feature"),
        (np.ones(3), r"got shape \(3,\)\. Reshape your data"),
        ([["a", "b"], ["c", "d"]], "could not convert|numbers"),
    ],
)
def test_unusable_data(X, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=message):
            MMC().fit(X)


def test_a_kernel_matrix_must_be_square():
    with pytest.raises(ValueError, match="square"):
        MMC(kernel="precomputed").fit(np.ones((4, 3)))


def test_wrong_feature_count_is_named():
    X, _ = blobs()
    with pytest.raises(ValueError, match="X has 2 features, but MMC is expecting 3 features"):
        MMC(n_init=1).fit(X).predict(X[:, :2])


def test_not_fitted():
    with pytest.raises(NotFittedError):
        MMC().predict(np.eye(2))


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_stopped_early_labels_are_those_that_w_implies(max_iter):
    X = np.random.default_rng(0).normal(size=(200, 10))
    with pytest.warns(ConvergenceWarning):
        mmc = MMC(search="cccp", max_iter=max_iter, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(mmc.labels_, mmc.predict(X))
    hinge = np.maximum(1 - np.abs(mmc.decision_function(X)), 0).mean()
    w = mmc.result_.w
    assert mmc.objective_ == pytest.approx(w @ w / 2 + mmc.C_ * hinge)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_verify_from_the_rows_as_given(kernel):
    X, _ = digits_pair(1, 7)
    mmc = MMC(kernel=kernel, n_init=2, random_state=0).fit(X)
    assert mmc.verify(X).matches
    np.testing.assert_array_equal(mmc.predict(X), mmc.labels_)


@pytest.mark.parametrize("gamma", ["auto", -1.0, 0])
def test_unusable_gamma_is_named(gamma):
    with pytest.raises(ValueError, match="gamma, if not 'scale', must be"):
        MMC(kernel="rbf", gamma=gamma).fit(np.eye(5))


def test_constant_kernel_is_named():
    with pytest.raises(ValueError, match="the kernel is constant"):
        MMC(kernel=lambda x, y: 1.0).fit(np.eye(5))
