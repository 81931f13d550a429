"""Similarities and sums over pairs against loops."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from set_data import sets, tensor

from structsvm.problems import ItemSet


@pytest.mark.parametrize("seed", range(2))
def test_against_the_definition(seed):
    rng, m = np.random.default_rng(seed), 7
    for items in sets(rng, m):
        psi, w = tensor(items, m), rng.normal(size=items.n_features)
        np.testing.assert_allclose(items.similarity(w), psi @ w, atol=1e-12)
        factors, weights = rng.normal(size=(m, 3)), rng.normal(size=3)
        Z = (factors * weights) @ factors.T
        expected = np.einsum("ij,ijn->n", Z, psi)
        np.testing.assert_allclose(items.weighted_sum(factors, weights), expected, atol=1e-10)
        expected = np.einsum("ij,ijn->n", factors @ factors.T, psi)
        np.testing.assert_allclose(items.weighted_sum(factors), expected, atol=1e-10)
        np.testing.assert_allclose(items.diagonal_sum(), np.einsum("iin->n", psi), atol=1e-12)
        rows, cols = rng.integers(m, size=(2, 9))
        vectors = items.pair_vectors(rows, cols)
        dense = vectors.toarray() if sparse.issparse(vectors) else vectors
        np.testing.assert_allclose(dense, psi[rows, cols], atol=1e-12)


def test_sparse_sets_stay_small():
    """Two thousand items with a hundred thousand features: m x m x N would take 3 TB."""
    rng = np.random.default_rng(0)
    columns = rng.integers(100_000, size=60_000)
    S = sparse.csr_matrix((np.ones(60_000), columns, np.arange(0, 60_001, 30)), (2000, 100_000))
    pairs = (*np.triu_indices(2000, 1998), S[:3])
    tracemalloc.start()
    items = ItemSet(S, pairs)
    items.similarity(np.ones(items.n_features))
    items.weighted_sum(rng.normal(size=(2000, 5)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5e8


# ---------------------------------------------------------------------- bad input


GOOD = np.ones((3, 2))


def test_pairs_may_be_given_in_either_order_and_on_the_diagonal():
    one = ItemSet(pairs=([0, 2, 1], [1, 0, 1], [[1.0], [2.0], [3.0]]), n_items=3)
    other = ItemSet(pairs=([1, 1, 0], [1, 0, 2], [[3.0], [1.0], [2.0]]), n_items=3)
    for items in (one, other):
        np.testing.assert_array_equal(items.similarity([1.0]), [[0, 1, 2], [1, 3, 0], [2, 0, 0]])


def test_weights_of_another_length_and_pairs_that_are_not_there():
    items = ItemSet(GOOD, np.ones((3, 3, 1)))
    with pytest.raises(ValueError, match="items 0 to 2; they range from -1 to 0"):
        items.pair_vectors([-1], [0])
    with pytest.raises(ValueError, match="equally many; got 2 and 1"):
        items.pair_vectors([0, 1], [0])
    with pytest.raises(ValueError, match="2 node and 1 pair features; got shape \\(2,\\)"):
        items.similarity([1.0, 2.0])
    assert repr(items) == "ItemSet(3 items, 2 node features, 1 pair features)"
    assert len(items) == 3
