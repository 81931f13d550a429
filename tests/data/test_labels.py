"""Labels of clusters, numbered in the order of their first items."""

import numpy as np
import pytest

from structsvm.data.labels import FEW, in_order


def test_in_order():
    assert in_order(np.array([7, 7, 2, 9, 2])).tolist() == [0, 0, 1, 2, 1]


def test_in_order_of_names():
    assert in_order(np.array(["b", "a", "b"])).tolist() == [0, 1, 0]


@pytest.mark.parametrize("m", [1, FEW, FEW + 1, 3 * FEW])
def test_few_and_many_items_are_numbered_alike(m):
    labels = np.random.default_rng(m).integers(20, size=m)
    found = in_order(labels)
    first = [labels.tolist().index(c) for c in labels.tolist()]
    assert found.dtype == np.intp
    np.testing.assert_array_equal(found, np.unique(first, return_inverse=True)[1])
