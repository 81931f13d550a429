"""Copies, and the changes that are seen between a copy and the original."""

import threading
from collections import deque

import networkx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from structsvm.check.equality import key, own, same


class Cached:
    def __init__(self):
        self.values, self._cache = [1, 2], None


def out_of_bounds():
    """A matrix whose comparison with another would read other memory."""
    matrix = sparse.eye(3, format="csr")
    matrix.indices[-1] = 10**6
    return matrix


def test_private_caches_are_not_changes_but_public_values_are():
    before, after = Cached(), Cached()
    after._cache = 5
    assert same(before, after)
    after.values.append(3)
    assert not same(before, after)


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.array([1.0, np.nan]),
        lambda: sparse.csr_matrix(np.eye(3)),
        lambda: {"a": [1, (2.0, "b")]},
        lambda: np.array([[1], "x"], dtype=object),
        lambda: float("nan"),
        lambda: deque([1, np.ones(2)]),
    ],
)
def test_a_copy_is_the_same_and_has_the_same_key(make):
    value = make()
    copy = own(value)
    assert copy is not value or isinstance(value, float)
    assert same(value, copy)
    assert key(value) == key(copy)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (np.zeros(2), np.zeros(3)),
        (np.zeros(2), np.zeros(2, dtype=np.float32)),
        (sparse.csr_matrix(np.eye(3)), sparse.csr_matrix(2 * np.eye(3))),
        ({"a": [1, 2]}, {"a": [1, 3]}),
        ((1, 2), (1, 2, 3)),
        (deque([1]), deque([1, 2])),
        (None, {"a": 1}),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ({"a": 1}, [("a", 1)]),
        (sparse.eye(3, format="csr"), out_of_bounds()),
        (out_of_bounds(), sparse.eye(3, format="csr")),
        (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [2, 1]})),
    ],
)
def test_a_change_is_seen(before, after):
    assert not same(before, after)


@pytest.mark.parametrize(
    ("value", "use"),
    [
        (np.random.default_rng(0), lambda rng: rng.random()),
        (iter([1, 2]), next),
        (iter({"a": 1}.values()), next),
    ],
)
def test_to_use_up_a_generator_is_no_change(value, use):
    before = own(value)
    use(value)
    assert same(before, value)


def test_an_object_that_cannot_be_copied_is_used_itself():
    lock = threading.Lock()
    assert own(lock) is lock


def test_nan_is_no_change():
    assert same([float("nan")], [float("nan")]) and not same([float("nan")], [0.0])
    row = sparse.csr_array([[0.0, np.nan, 1.0]])
    assert same(row, row.copy())
    assert not same(row, sparse.csr_array([[0.0, np.nan, 2.0]]))


def test_what_a_graph_caches_is_no_change():
    before = networkx.DiGraph([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "e")])
    after = own(before)
    assert list(after.nodes) and list(after.pred) and list(before.edges)
    assert same(before, after) and same(after, before)
