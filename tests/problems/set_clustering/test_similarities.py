"""What is no similarity matrix is named."""

import numpy as np
import pytest
from set_data import drawn

from structsvm.problems import (
    DiscreteOracle,
    GreedyOracle,
    IterativeOracle,
    RelaxedOracle,
    SpectralOracle,
    SupervisedKMeans,
)

ORACLES = IterativeOracle(), SpectralOracle(), DiscreteOracle()
OF_ANY_NUMBER = GreedyOracle(), RelaxedOracle()


@pytest.mark.parametrize(
    ("K", "k", "message"),
    [
        (np.eye(3).astype(complex), 2, "K must hold real numbers; got dtype"),
        (np.eye(3).astype(object), 2, "K must hold real numbers; got dtype"),
        (np.full((4, 4), np.nan), 2, "K must be finite"),
        (np.triu(np.ones((4, 4))), 2, "K must be symmetric"),
        (np.ones((4, 3)), 2, r"shape \(m, m\).* got ndarray of shape \(4, 3\)"),
        ([[1.0, 0.0], [0.0, 1.0]], 2, r"shape \(m, m\).* got list"),
        (np.ones((0, 0)), 2, r"shape \(m, m\).* of shape \(0, 0\)"),
        (np.eye(4), 5, "at most the 4 items of K; got 5"),
        (np.eye(4), 0, "n_clusters must be an integer >= 1; got 0"),
    ],
)
def test_oracles_say_what_is_wrong_with_a_similarity(K, k, message):
    for oracle in ORACLES:
        with pytest.raises(ValueError, match=message):
            oracle.cluster(K, k)
    for oracle in OF_ANY_NUMBER if message.startswith("K must") else ():
        with pytest.raises(ValueError, match=message):
            oracle.cluster(K)


def test_a_similarity_may_be_an_adjacency_matrix():
    blocks = np.kron(np.eye(2, dtype=bool), np.ones((3, 3), dtype=bool))
    for oracle in (IterativeOracle(), DiscreteOracle()):
        assert oracle.cluster(blocks, 2).tolist() == [0, 0, 0, 1, 1, 1]


def test_features_that_overflow_are_said():
    X, y = drawn(0)
    model = SupervisedKMeans().fit(X, y)
    with pytest.raises(ValueError, match=r"X\[0\]: the largest entry of nodes is .*overflow"):
        model.predict([X[0] * 1e160])
    model.w_ = model.w_ * 1e300
    message = r"K must be finite.* features are too large"
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        model.predict([X[0] * 1e70])
