"""Labels of clusters, numbered in the order of their first items."""

import numpy as np

from structsvm.data.labels import in_order


def test_in_order():
    assert in_order(np.array([7, 7, 2, 9, 2])).tolist() == [0, 0, 1, 2, 1]


def test_in_order_of_names():
    assert in_order(np.array(["b", "a", "b"])).tolist() == [0, 1, 0]
