"""Item sets: similarities and sums over pairs against loops, and features that none can have."""

import networkx
import numpy as np
import pandas
import pytest
from peak_memory import peak_below
from refusals import refused
from scipy import sparse
from set_data import sets, tensor

from structsvm.problems import ItemSet, SupervisedKMeans


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
    with peak_below(2.5e8):
        items = ItemSet(S, pairs)
        items.similarity(np.ones(items.n_features))
        items.weighted_sum(rng.normal(size=(2000, 5)))


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


NODES = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": [3.0, 1.0, 1.0]}, index=["x", "y", "z"])
PAIRS = pandas.DataFrame(
    {"s": [5.0, 7.0], "t": [1.0, 0.0]},
    index=pandas.MultiIndex.from_tuples([("z", "x"), ("y", "y")]),
)
GRAPH = networkx.path_graph(["x", "y", "z"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda nodes, pairs: ItemSet(nodes), "node features .*'b' in the place of 'a'"),
        (lambda nodes, pairs: ItemSet.from_frames(NODES, pairs), "'t' in the place of 's'"),
        (ItemSet.from_frames, "node features .*'b' in the place of 'a'"),
        (lambda nodes, pairs: ItemSet.from_graph(GRAPH, nodes), "other node features"),
    ],
)
def test_columns_in_another_order_are_found(make, message):
    one, other = make(NODES, PAIRS), make(NODES[["b", "a"]], PAIRS[["t", "s"]])
    model, y = SupervisedKMeans().fit([one], [[0, 0, 1]]), [[0, 0, 1]] * 2
    for call in (lambda: model.predict([other]), lambda: SupervisedKMeans().fit([one, other], y)):
        with pytest.raises(ValueError, match=message):
            call()


def test_sets_without_names_may_be_among_those_with_names():
    y, unnamed, swapped = [[0, 0, 1]], ItemSet(NODES.to_numpy()), ItemSet(NODES[["b", "a"]])
    with pytest.raises(ValueError, match="item set 2 has other node features"):
        SupervisedKMeans().fit([unnamed, ItemSet(NODES), swapped], y * 3)
    with pytest.raises(ValueError, match="in the place of 'a'"):
        SupervisedKMeans().fit([unnamed, ItemSet(NODES)], y * 2).predict([swapped])


def test_features_of_the_user_are_not_changed():
    """Entries given twice are added up in a copy."""
    rows, cols = np.array([0, 0, 1]), np.array([1, 1, 0])
    S = sparse.coo_matrix((np.ones(3), (rows, cols)), shape=(2, 2)).tocsr()
    doubled = sparse.csr_matrix((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), (2, 2))
    items = ItemSet(doubled)
    assert doubled.nnz == 3
    np.testing.assert_array_equal(doubled.indices, [1, 1, 0])
    np.testing.assert_array_equal(items.nodes.toarray(), S.toarray())


ASYMMETRIC = np.arange(9.0).reshape(3, 3, 1)


test_bad_item_sets = refused(
    lambda arguments: ItemSet(**arguments),
    ({}, "neither"),
    ({"nodes": GOOD[:1]}, "at least 2 items to cluster; got 1"),
    ({"nodes": GOOD[0]}, "2-d"),
    ({"nodes": GOOD[:, :0]}, "at least one column"),
    ({"nodes": [["a", "b"], ["c", "d"]]}, "must hold real numbers"),
    ({"nodes": GOOD * np.nan}, "NaN or infinity, first in row 0"),
    ({"nodes": np.ma.masked_less(GOOD, 2)}, "must not be masked"),
    ({"pairs": sparse.csr_matrix(GOOD)}, "a tuple .*; got csr_matrix"),
    ({"nodes": np.ones((4, 2)), "pairs": [[0], [1], [[1.0]]]}, "disagree: .* or a tuple"),
    ({"nodes": sparse.csr_matrix(GOOD * np.inf)}, "NaN or infinity"),
    ({"pairs": np.ones((3, 3))}, r"shape \(3, 3, N_p\) for 3 items, or .*; got shape \(3, 3\)"),
    ({"pairs": ASYMMETRIC}, "symmetric.*items 0 and 2 differ by 4"),
    ({"pairs": np.full((3, 3, 1), np.nan)}, "NaN or infinity"),
    ({"pairs": [["a"], ["b"]]}, "tuple"),
    ({"nodes": GOOD, "pairs": np.ones((4, 4, 1))}, "nodes 3, pairs 4"),
    ({"nodes": GOOD, "n_items": 5}, "n_items 5, nodes 3"),
    ({"nodes": GOOD, "n_items": 3.5}, "n_items must be an integer"),
    ({"pairs": ([0], [1], [[1.0]])}, "n_items is required"),
    ({"nodes": GOOD, "pairs": ([0], [1])}, "triple.*got 2 parts"),
    ({"nodes": GOOD, "pairs": ([0, 1], [1], [[1.0]])}, "rows and cols .* many; got 2 and 1"),
    ({"nodes": GOOD, "pairs": ([0], [1], [[1.0], [2]])}, "equally many; got 1, 1 and 2"),
    ({"nodes": GOOD, "pairs": pandas.DataFrame(GOOD)}, "from_frames takes DataFrames"),
    ({"nodes": pandas.DataFrame({"a": [1, 2], "b": ["1", "2"]})}, "got text, such as"),
    ({"nodes": GOOD, "pairs": ([0], [3], [[1.0]])}, "items 0 to 2; they range from 0 to 3"),
    ({"nodes": GOOD, "pairs": ([0.5], [1], [[1.0]])}, "rows of the pairs .* item numbers"),
    ({"nodes": GOOD, "pairs": ([0, 1], [1, 0], [[1.0], [1]])}, "0 and 1 is given more than"),
    ({"nodes": GOOD, "pairs": ([0], [1], [[np.nan]])}, "NaN or infinity"),
)
