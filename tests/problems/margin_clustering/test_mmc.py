"""MMC: its oracle, its objective, its optimum on a few rows, and figures of the papers."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from clustering_data import agreement, hinge
from scipy import sparse
from scipy.optimize import minimize

from structsvm.datasets import digits_pair
from structsvm.problems import MMC

STOPPED = {"C": 10.0, "balance": 0.0, "search": "cccp", "max_iter": 3, "n_init": 1}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "settings", [{"C": 1.0, "balance": 0.0}, {"C": 100.0, "balance": 0.3}, STOPPED], ids=str
)
def test_the_objective_is_the_one_documented(settings):
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:24, 0] += 3
    mmc = MMC(kernel="linear", random_state=0, **settings).fit(X)
    f, w = mmc.decision_function(X), mmc.result_.w
    losses = hinge(np.column_stack([-f, f]) / 2, mmc.labels_)
    assert mmc.objective_ == pytest.approx(w @ w / 2 + mmc.C * losses.mean(), rel=1e-9)
    assert abs(f.mean()) <= mmc.balance + 1e-6
    scale = np.sqrt(np.square(X - X.mean(axis=0)).sum(axis=1).mean())
    np.testing.assert_allclose(mmc.coef_[0], w[: X.shape[1]] / scale)
    np.testing.assert_allclose(f, X @ mmc.coef_[0] + mmc.intercept_, atol=1e-9)
    np.testing.assert_array_equal(mmc.labels_, (f >= 0).astype(int))


def test_the_best_of_all_labelings_of_a_small_set_is_found():
    X = np.random.default_rng(3).normal(size=(8, 2))
    X[:4, 0] += 3
    mmc = MMC(C=10.0, n_init=10, kernel="linear", random_state=0).fit(X)
    x = (X - X.mean(axis=0)) / mmc.problem_.rows_.scale

    def convex(y):
        """min 1/2|w|^2 + C mean of hinges, as a smooth program in w and the slacks."""

        def value(z):
            return 0.5 * z[:2] @ z[:2] + 10.0 * z[2:].mean()

        margins = {"type": "ineq", "fun": lambda z: y * (x @ z[:2]) - 1 + z[2:]}
        bounds, z0 = [(None, None)] * 2 + [(0, None)] * 8, np.r_[0, 0, np.ones(8)]
        return minimize(value, z0, bounds=bounds, constraints=[margins], method="SLSQP").fun

    best = min(convex(np.array((1, *y))) for y in product((-1, 1), repeat=7))
    assert mmc.objective_ == pytest.approx(best, rel=2e-3)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("pair", "least"), [((1, 7), 0.999), ((3, 8), 0.96), ((2, 7), 0.999), ((8, 9), 0.955)]
)
def test_digit_pairs_of_the_papers(pair, least):
    X, y = digits_pair(*pair)
    for kernel, share in (("linear", least), ("diffusion", 0.98), ("auto", 0.95)):
        mmc = MMC(kernel=kernel, random_state=0).fit(X)
        assert agreement(mmc.labels_, y == y[0]) >= share


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sparse_data_stay_sparse():
    rng = np.random.default_rng(0)
    n, d = 300, 50_000
    columns = np.r_[rng.integers(0, 100, 5 * n), rng.integers(100, d, 5 * n)]
    columns[: 5 * n] += 50 * (np.repeat(np.arange(n), 5) % 2)
    rows = np.tile(np.repeat(np.arange(n), 5), 2)
    X = sparse.csr_matrix((np.ones(10 * n), (rows, columns)), (n, d))
    tracemalloc.start()
    MMC(n_init=1, kernel="linear", random_state=0, max_iter=10, balance=0.1).fit(X).predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * d * 8 / 4
