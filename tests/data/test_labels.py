"""Labels of clusters, numbered in the order of their first items."""

import numpy as np
import pytest

from structsvm.data.labels import FEW, in_order


@pytest.mark.parametrize("m", [1, FEW, FEW + 1, 3 * FEW])
def test_few_and_many_items_are_numbered_alike(m):
    labels = np.random.default_rng(m).integers(20, size=m)
    found = in_order(labels)
    first = [labels.tolist().index(c) for c in labels.tolist()]
    assert found.dtype == np.intp
    np.testing.assert_array_equal(found, np.unique(first, return_inverse=True)[1])
