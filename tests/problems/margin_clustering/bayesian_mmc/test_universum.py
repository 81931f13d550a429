"""Rows that belong to no cluster."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems.margin_clustering.bayesian_mmc.prior import universum_rows


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_universum_rows(convert):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 4)) < 0.5, 0, rng.integers(1, 5, (50, 4)).astype(float))
    X[:, 3] = 7.0
    given = convert(X)
    mean, marginal = (universum_rows(name, given, rng) for name in ("mean", "marginal"))
    assert sparse.issparse(mean) == sparse.issparse(marginal) == sparse.issparse(given)
    mean, marginal = (a.toarray() if sparse.issparse(a) else a for a in (mean, marginal))
    assert mean.shape == marginal.shape == (20, 4)
    assert np.abs(mean - X.mean(axis=0)).max() < 0.5 * X.std(axis=0).max()
    np.testing.assert_allclose(mean[:, 3], 7)
    for j in range(4):
        assert set(marginal[:, j]) <= set(X[:, j])
    assert len({tuple(row) for row in marginal} - {tuple(row) for row in X}) > 0
