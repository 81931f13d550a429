"""Features of pairs in either order."""

import numpy as np

from structsvm.problems import ItemSet


def test_pairs_may_be_given_in_either_order_and_on_the_diagonal():
    one = ItemSet(pairs=([0, 2, 1], [1, 0, 1], [[1.0], [2.0], [3.0]]), n_items=3)
    other = ItemSet(pairs=([1, 1, 0], [1, 0, 2], [[3.0], [1.0], [2.0]]), n_items=3)
    K = [[0, 1, 2], [1, 3, 0], [2, 0, 0]]
    np.testing.assert_array_equal(one.similarity([1.0]), K)
    np.testing.assert_array_equal(other.similarity([1.0]), K)
