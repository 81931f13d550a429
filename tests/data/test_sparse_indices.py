"""Indices of sparse matrices of every format have 32 bits where they fit."""

import numpy as np
import pytest
from cases.forms import in_format

from structsvm.data import sparse_indices
from structsvm.data.matrices import in_floats

FORMATS = [
    f"{name}_{kind}"
    for name in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")
    for kind in ("matrix", "array")
]


@pytest.mark.parametrize("form", FORMATS)
def test_indices_have_32_bits_where_they_fit(form, monkeypatch):
    X = in_format(form, np.int64)(np.eye(4))
    before = X.copy()
    made = in_floats(X)
    assert made.format == "csr" and made.indices.dtype == made.indptr.dtype == np.int32
    assert type(X) is type(before) and (X != before).nnz == 0
    assert in_floats(made) is made
    monkeypatch.setattr(sparse_indices, "LARGEST", 3)
    wide = in_format("csr_array", np.int64)(np.eye(4))
    assert in_floats(wide).indices.dtype == np.int64
