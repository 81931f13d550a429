"""What the clustering problems share."""

import contextlib

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems import MMC, CPM3CProblem


@pytest.mark.parametrize("shape", [(30, 5), (5, 30)])
@pytest.mark.parametrize("k", [2, 4, 10])
def test_automatic_C(shape, k):
    """From the eigenvalues of the covariance; the same for sparse rows, twice for sign decoding."""
    X = np.random.default_rng(0).normal(size=shape) * np.linspace(1, 3, shape[1]) + 2
    spectrum = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    dimension = spectrum.sum() ** 2 / (spectrum**2).sum()
    expected = min(100, max(dimension**1.2, 2 * (k - 1) ** 2))
    for data in (X, sparse.csr_matrix(X)):
        problem = CPM3CProblem(k)
        if k <= len(X):
            problem.initialize([data])
            assert problem.automatic_C(data) == pytest.approx(expected)
    if k == 2:
        assert MMC(kernel="linear", n_init=1, random_state=0).fit(X).C_ == pytest.approx(
            2 * expected
        )


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


@pytest.mark.parametrize("size", [10**400, -1, 0.5, "half", np.ones(2), np.nan])
def test_a_smallest_size_out_of_range(size):
    with pytest.raises(ValueError, match="min_cluster_size must be"):
        MMC(min_cluster_size=size).fit(np.eye(4))
