"""Numbers of any dtype, order and storage train what the same numbers in float64 train."""

import warnings
from functools import cache
from itertools import cycle, islice

import numpy as np
import pytest
from cases.forms import changed, read_only
from cases.problems import PROBLEMS
from scipy import sparse

from structsvm import CCCP, NSlackCuttingPlane, SelfLabelledProblem, StructuredSVM
from structsvm.data.containers import dense
from structsvm.data.matrices import checked_rows
from structsvm.features import DiffusionMap, KernelMap, Whitening
from structsvm.problems import ItemSet, MulticlassSVM

#: Passes of a training: the same data take the same way.
PASSES = 4


def counts(x):
    """Numbers that all forms hold."""
    if sparse.issparse(x):
        return type(x)((counts(x.data), x.indices, x.indptr), x.shape)
    return np.abs(np.round(3.0 * x)).astype(np.float64)


def of_dtype(dtype):
    return lambda x: x.astype(dtype)


def duplicates(x):
    """Every entry as two in uint8, in falling order of their columns."""
    if not sparse.issparse(x):
        return x
    order = np.lexsort((-x.indices, np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))))
    data, columns = x.data[order], np.repeat(x.indices[order], 2)
    halves = np.column_stack([data // 2, data - data // 2]).astype(np.uint8).ravel()
    return type(x)((halves, columns, 2 * x.indptr), x.shape)


#: For each form the dtype in which the same numbers train the same, and the form itself.
FORMS = {
    "uint8": (np.float64, of_dtype("uint8")),
    "int64": (np.float64, of_dtype("int64")),
    "read-only": (np.float64, read_only),
}
DENSE = {
    "float16": (np.float32, of_dtype(np.float16)),
    "longdouble": (np.float64, of_dtype(np.longdouble)),
    "big-endian": (np.float32, of_dtype(">f4")),
    "big-endian integers": (np.float64, of_dtype(">i4")),
    "Fortran order": (np.float64, np.asfortranarray),
}
SPARSE = {"duplicates": (np.float64, duplicates)}


def is_sparse(x):
    """Whether features in an input are."""
    if isinstance(x, (list, tuple)):
        return any(map(is_sparse, x))
    return sparse.issparse(x.nodes if isinstance(x, ItemSet) else x)


def arrays(x):
    """The arrays of an input, as they are stored."""
    if sparse.issparse(x):
        return [x.data, x.indices, x.indptr]
    if isinstance(x, (list, tuple)):
        return [array for part in x for array in arrays(part)]
    return [x] if isinstance(x, np.ndarray) else []


def trained(problem, X, Y):
    kind = CCCP if isinstance(problem, SelfLabelledProblem) else NSlackCuttingPlane
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few passes need not converge
        return StructuredSVM(problem, solver=kind(max_iter=PASSES)).fit(X, Y)


@cache
def canonical(name, dtype):
    """Inputs and outputs in float64 or float32, and what they train."""
    problem, X, Y = PROBLEMS[name](0)
    X = changed(X, lambda x: counts(x).astype(dtype), edges=True)
    return X, Y, trained(problem, X, Y)


def chosen():
    """Every problem with every form; slow where a problem is much like another."""
    seen = set()
    for name, make in PROBLEMS.items():
        problem, X, _ = make(0)
        kind = type(problem), is_sparse(X)
        for form in {**FORMS, **(SPARSE if is_sparse(X) else DENSE)}:
            marks = [pytest.mark.slow] if kind in seen else []
            yield pytest.param(name, form, marks=marks, id=f"{name}-{form}")
        seen.add(kind)


def truth(problem, Y, i, output):
    """The true output of an example, or another where it is unknown."""
    return output if isinstance(problem, SelfLabelledProblem) else Y[i]


def single_answers(problem, x, y, w):
    """What the methods of a single example make of an input with this true output."""
    first, second = islice(cycle(islice(problem.outputs(x), 2)), 2)
    others = second, problem.separation_oracle(x, y, w), problem.decode(x, w)
    rows = [problem.joint_feature(x, first) - problem.joint_feature(x, second)]
    rows += [problem.joint_feature_difference(x, first, y) for y in others]
    return [dense(row).ravel() for row in rows]


@pytest.mark.sampled(23)
@pytest.mark.parametrize(("name", "form"), list(chosen()))
def test_a_problem_is_the_same_in_every_form(name, form):
    dtype, other = {**FORMS, **DENSE, **SPARSE}[form]
    X, Y, expected = canonical(name, dtype)
    given = changed(X, other, edges=True)
    before = [array.tobytes() for array in arrays(given)]
    found = trained(expected.problem, given, Y)
    close = {"rtol": 1e-9, "atol": 1e-9 * abs(expected.w_).max()}
    np.testing.assert_allclose(found.w_, expected.w_, **close)
    trained_problem = expected.problem_
    for i, pair in enumerate(zip(expected.predict(X), found.predict(given), strict=True)):
        losses = [trained_problem.loss(truth(trained_problem, Y, i, pair[0]), y) for y in pair]
        assert losses[0] == pytest.approx(losses[1], rel=1e-9, abs=1e-9)
    y = truth(trained_problem, Y, 0, next(iter(trained_problem.outputs(X[0]))))
    answers = (single_answers(trained_problem, x[0], y, expected.w_) for x in (given, X))
    for own, same in zip(*answers, strict=True):
        np.testing.assert_allclose(own, same, rtol=1e-6, atol=1e-6)
    assert [array.tobytes() for array in arrays(given)] == before


@pytest.mark.parametrize("name", ["ndcg", "ranked-pairs", "roc-area", "top-k", "kmeans",
                                  "correlation", "programs"])  # fmt: skip
def test_problems_that_compute_in_double_precision_always(name):
    problem, X, Y = PROBLEMS[name](0)
    X = changed(X, of_dtype(np.float32), edges=True)
    found, expected = (
        trained(problem, x, Y) for x in (X, changed(X, of_dtype(np.float64), edges=True))
    )
    np.testing.assert_array_equal(found.w_, expected.w_)


@pytest.mark.parametrize(
    ("dtype", "kept"), [(np.float32, np.float32), (">f4", np.float64), (np.float16, np.float64)]
)
def test_rows_of_estimators_and_feature_maps_keep_only_float32_in_the_order_of_the_machine(
    dtype, kept
):
    X = np.random.default_rng(0).normal(size=(30, 3)).astype(dtype)
    assert checked_rows(MulticlassSVM(), X).dtype == kept
    assert Whitening().fit_transform(X).dtype == kept
    assert DiffusionMap().fit_transform(X).dtype == kept
    assert KernelMap().fit_transform(X).dtype == np.float64
