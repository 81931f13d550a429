"""Sparse matrices of every format, kind and dtype of indices fit what the same in CSR fits."""

from functools import cache

import numpy as np
import pytest
from fitted_models import MODELS, applied, model_of, of_problem, quietly
from scipy import sparse
from sklearn.base import clone

from structsvm.data import sparse_indices
from structsvm.data.matrices import in_floats
from structsvm.problems import AssignmentSVM, ChainSVM, DependencyParser, Graph, ItemSet

FORMATS = [
    f"{name}_{kind}"
    for name in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")
    for kind in ("matrix", "array")
]
#: Models whose inputs hold matrices here alone.
OTHERS = {
    "AssignmentSVM": lambda: (AssignmentSVM(unmatched=True), of_problem("assignment-sparse"), {}),
    "DependencyParser": lambda: (DependencyParser(), of_problem("tree-sparse"), {}),
}
#: One model of every kind.
NAMES = sorted({name.partition("-")[0]: name for name in [*reversed(MODELS), *OTHERS]}.values())


def changed(x, form):
    """An input whose matrices have another form; arrays of two axes and labels are left."""
    if isinstance(x, Graph):
        return x._replace(features=changed(x.features, form))
    if isinstance(x, ItemSet):
        nodes, pairs = changed(x.nodes, form), x.pairs
        return ItemSet(nodes, pairs and (*pairs[:2], changed(pairs[2], form)), x.n_items)
    if isinstance(x, (list, tuple)):
        made = [changed(part, form) for part in x]
        return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
    floats = getattr(getattr(x, "dtype", None), "kind", "O") == "f"
    return form(x) if floats and x.ndim == 2 else x


def in_form(name, dtype):
    """A function from a matrix to one of this format, with indices of this dtype."""

    def form(x):
        made = getattr(sparse, name)(getattr(sparse, name.replace(name[:3], "coo"))(x))
        for part in ("indices", "indptr", "offsets"):
            if isinstance(getattr(made, part, None), np.ndarray):
                setattr(made, part, getattr(made, part).astype(dtype))
        if made.format == "coo":
            made.coords = tuple(part.astype(dtype) for part in made.coords)
        return made

    return form


@cache
def in_csr(name):
    """Results of a model for CSR matrices with indices of 32 bits."""
    return fitted_to(name, in_form("csr_matrix", np.int32))


def fitted_to(name, form):
    model, (X, *rest), options = OTHERS[name]() if name in OTHERS else model_of(name)
    model = clone(model)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    X = quietly(changed, X, form)  # it may warn of many diagonals
    return applied(quietly(model.fit, X, *rest, **options), X)


@pytest.mark.sampled(13)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", NAMES)
def test_every_format_with_indices_of_any_dtype_fits_the_same(name, form, dtype):
    np.testing.assert_equal(fitted_to(name, in_form(form, dtype)), in_csr(name))


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_of_sequences_in_every_format_fits_the_same(form):
    X, y = np.eye(8)[:, :5], list("ababbabb")
    tables = [in_form(name, dtype)(X) for name, dtype in (("csr_matrix", "i4"), (form, "i8"))]
    models = [ChainSVM().fit(table, y, groups=np.arange(8) // 2) for table in tables]
    np.testing.assert_array_equal(models[0].w_, models[1].w_)


@pytest.mark.parametrize("form", FORMATS)
def test_indices_have_32_bits_where_they_fit(form, monkeypatch):
    X = in_form(form, np.int64)(np.eye(4))
    before = X.copy()
    made = in_floats(X)
    assert made.format == "csr" and made.indices.dtype == made.indptr.dtype == np.int32
    assert type(X) is type(before) and (X != before).nnz == 0
    assert in_floats(made) is made
    monkeypatch.setattr(sparse_indices, "LARGEST", 3)
    wide = in_form("csr_array", np.int64)(np.eye(4))
    assert in_floats(wide).indices.dtype == np.int64
