"""An example's answer does not depend on the other examples of its block, whatever their scale."""

import numpy as np
import pytest
from cases.problems import PROBLEMS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from structsvm import SelfLabelledProblem
from structsvm.contract.capabilities import computes_with_arrays
from structsvm.contract.constraints import constraints_of
from structsvm.data.containers import n_examples
from structsvm.objective.rounding import MULTIPLE, unit_roundoff

#: The methods of tasks, and those of problems, for one example, that they stand for.
SEARCHES = {
    "search": "separation_oracle",
    "search_rescaled": "slack_oracle",
    "decode": "decode",
    "impute": "impute",
}
KINDS = {
    name: problem
    for name, (problem, *_) in ((name, make(0)) for name, make in PROBLEMS.items())
    if computes_with_arrays(problem)
}
FOUND = [
    (name, search)
    for name, problem in KINDS.items()
    for search, single in SEARCHES.items()
    if getattr(problem, single, None) is not None
]
SOFT = [name for name, problem in KINDS.items() if problem.soft_oracle is not None]
#: Exponents of the scales; features of float32 may be 1e14 at most.
EXPONENTS = st.integers(-14, 13)

few = settings(max_examples=8, deadline=None, derandomize=True)
seeds = st.integers(0, 100)


def scaled(x, scale):
    """An input at another scale: all floating numbers of an array, or of the arrays in a tuple."""
    if isinstance(x, tuple):
        parts = [scaled(part, scale) for part in x]
        return x._make(parts) if hasattr(x, "_make") else tuple(parts)
    if getattr(x, "dtype", np.dtype(int)).kind == "f":
        return x * x.dtype.type(scale)
    return x


def all_scaled(X, scales):
    if isinstance(X, list):
        return [scaled(x, scale) for x, scale in zip(X, scales, strict=True)]
    if sparse.issparse(X):
        found = X.multiply(scales[:, None]).tocsr()
    else:
        found = X * scales.reshape(-1, *[1] * (X.ndim - 1))
    return found.astype(X.dtype)


def beside_others(name, seed, data):
    """A problem's examples, all but one at other scales; the place of that one, and some w."""
    problem, X, Y = PROBLEMS[name](seed)
    n = n_examples(X)
    place = data.draw(st.integers(0, n - 1))
    exponents = np.array(data.draw(st.lists(EXPONENTS, min_size=n, max_size=n)))
    exponents[place] = 0
    problem.initialize(X, Y)
    w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    lower = constraints_of(problem).lower
    w = w if lower is None else np.maximum(w, lower)
    return all_scaled(X, 10.0**exponents), Y, problem, place, w


def value_and_size(problem, search, x, y, w, found):
    """What the search maximises, and the size of the terms of which it is the sum."""
    if search in ("decode", "impute"):
        psi = dense(problem.joint_feature(x, found))
        return w @ psi, np.abs(w) @ np.abs(psi)
    row, loss = dense(problem.joint_feature_difference(x, y, found)), problem.loss(y, found)
    size = np.abs(w) @ (np.abs(row) + np.abs(dense(problem.joint_feature(x, y))))
    if search == "search_rescaled":
        return loss * (1 - w @ row), loss * (1 + size)
    return loss - w @ row, loss + size


def dense(row):
    return np.ravel(row.toarray() if sparse.issparse(row) else row).astype(np.float64)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("name", "search"), FOUND)
@few
@given(seed=seeds, data=st.data())
def test_a_task_finds_for_each_what_the_problem_does(name, search, seed, data):
    X, Y, problem, i, w = beside_others(name, seed, data)
    task = problem.task(X, Y)
    if isinstance(problem, SelfLabelledProblem) and search != "impute":
        Y = task.impute(w)
        task = task.with_labels(Y)
    beside, y = getattr(task, search)(w)[i], None if Y is None else Y[i]
    alone = getattr(problem, SEARCHES[search])(X[i], *(() if search == "decode" else (y,)), w)
    values, sizes = zip(
        *(value_and_size(problem, search, X[i], y, w, found) for found in (beside, alone)),
        strict=True,
    )
    error = max(unit_roundoff([X[i]]), problem.roundoff or 0.0)
    assert abs(values[0] - values[1]) <= MULTIPLE * error * max(sizes)


@pytest.mark.parametrize("name", SOFT)
@few
@given(seed=seeds, data=st.data())
def test_a_sum_of_soft_outputs_has_for_each_its_own(name, seed, data):
    X, Y, problem, i, w = beside_others(name, seed, data)
    n = n_examples(X)
    task = problem.task(X, Y)
    if isinstance(problem, SelfLabelledProblem):
        Y = task.impute(w)
        task = task.with_labels(Y)
    beside = task.soft(w, 0.5, np.eye(n)[i])
    alone = problem.soft_oracle(X[i], Y[i], w, 0.5)
    error = 1e4 * unit_roundoff([X[i]])
    assert beside.values[i] == pytest.approx(alone.value, rel=error, abs=error)
    assert beside.loss == pytest.approx(alone.loss, rel=error, abs=error)
    np.testing.assert_allclose(
        beside.joint_feature_difference, dense(alone.joint_feature_difference), error, error
    )
