"""Rows of many examples: parts of them, dense and sparse."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.data.ragged import Ragged


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_examples_and_parts_are_those_that_were_stacked(convert):
    parts = [np.full((size, 2), float(size)) + np.arange(2) for size in (3, 1, 0, 4)]
    ragged = Ragged.of([convert(part) for part in parts])
    assert ragged.shape == (4,) and len(ragged) == 4
    for places in (slice(None), slice(1, 3), np.array([3, 0]), [2], slice(0, 0)):
        some = ragged[places]
        kept = np.arange(4)[places]
        assert len(some) == len(kept)
        for i, place in enumerate(kept):
            found = some[i].toarray() if sparse.issparse(some[i]) else some[i]
            np.testing.assert_array_equal(found, parts[place])
    assert np.shape(ragged[-1]) == (4, 2)
    with pytest.raises(IndexError):
        ragged[4]
