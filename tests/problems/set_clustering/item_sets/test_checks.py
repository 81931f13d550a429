"""Features that no item set can have are named."""

import networkx
import numpy as np
import pandas
import pytest
from scipy import sparse

from structsvm.problems import ItemSet, SupervisedKMeans
from structsvm.problems.set_clustering.item_sets.checks import Features

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


GOOD = np.ones((3, 2))

ASYMMETRIC = np.arange(9.0).reshape(3, 3, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "neither"),
        ({"nodes": GOOD[:1]}, "at least 2 items to cluster; got 1"),
        ({"nodes": GOOD[0]}, "2-d"),
        ({"nodes": GOOD[:, :0]}, "at least one column"),
        ({"nodes": [["a", "b"], ["c", "d"]]}, "must hold real numbers"),
        ({"nodes": GOOD * np.nan}, "NaN or infinity, first in row 0"),
        ({"nodes": GOOD * 1j}, "real numbers; got dtype complex128"),
        ({"nodes": GOOD.astype("M8[D]")}, "real numbers; got dtype datetime64"),
        ({"nodes": np.ma.masked_less(GOOD, 2)}, "must not be masked"),
        ({"nodes": GOOD[:, 0]}, "2-d"),
        ({"pairs": sparse.csr_matrix(GOOD)}, "a tuple .*; got csr_matrix"),
        ({"nodes": np.ones((4, 2)), "pairs": [[0], [1], [[1.0]]]}, "disagree: .* or a tuple"),
        ({"nodes": sparse.csr_matrix(GOOD * np.inf)}, "NaN or infinity"),
        ({"nodes": sparse.csr_matrix(GOOD * 1j)}, "real numbers"),
        ({"pairs": np.ones((3, 3))}, r"shape \(3, 3, N_p\) for 3 items, or .*; got shape \(3, 3\)"),
        ({"pairs": np.ones((3, 4, 1))}, r"shape \(3, 3, N_p\)"),
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
        ({"nodes": GOOD, "pairs": ([-1], [1], [[1.0]])}, "range from -1"),
        ({"nodes": GOOD, "pairs": ([0.5], [1], [[1.0]])}, "rows of the pairs .* item numbers"),
        ({"nodes": GOOD, "pairs": ([0, 1], [1, 0], [[1.0], [1]])}, "0 and 1 is given more than"),
        ({"nodes": GOOD, "pairs": ([0], [1], [[np.nan]])}, "NaN or infinity"),
    ],
)
def test_bad_item_sets(arguments, message):
    with pytest.raises(ValueError, match=message):
        ItemSet(**arguments)


def test_names_of_all_features():
    assert Features(2, 1, ("a", "b"), ("c",)).names == ("a", "b", "c")
    assert Features(2, 0, ("a", "b"), None).names == ("a", "b")
    assert Features(2, 1, ("a", "b"), None).names is None
