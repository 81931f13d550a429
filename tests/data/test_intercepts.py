"""Rows with a constant feature."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.data.intercepts import with_constant


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_the_constant_is_the_last_column_and_the_kind_stays(convert, dtype):
    X = convert(np.arange(6, dtype=dtype).reshape(3, 2))
    found = with_constant(X, 10.0)
    assert found.dtype == dtype
    assert sparse.issparse(found) == sparse.issparse(X)
    dense = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_array_equal(dense, [[0, 1, 10], [2, 3, 10], [4, 5, 10]])
