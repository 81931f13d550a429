"""The laws of all problems: the contract, rounding errors, and each example apart from others."""

import sys
import warnings

import numpy as np
import pytest
from cases.problems import BUNDLED, PROBLEMS
from scipy import sparse

from structsvm import SelfLabelledProblem, StructuredSVM, check_problem
from structsvm.contract.capabilities import computes_with_arrays
from structsvm.contract.constraints import constraints_of
from structsvm.data.containers import n_examples
from structsvm.objective.rounding import MULTIPLE, unit_roundoff
from structsvm.oracle.setup import initialize
from structsvm.oracle.violated import absolute_sums
from structsvm.task.bound import bound

#: Functions that solve by iterations, to a tolerance.
INEXACT = "linprog", "milp", "eigsh"
#: The methods of tasks, and those of problems, for one example, that they stand for.
SEARCHES = {
    "search": "separation_oracle",
    "search_rescaled": "slack_oracle",
    "decode": "decode",
    "impute": "impute",
}
WITH_OUTPUTS = [kind for kind in BUNDLED if not issubclass(kind, SelfLabelledProblem)]
#: Problems that answer for all examples at once.
TOGETHER = [name for name, make in PROBLEMS.items() if computes_with_arrays(make(0)[0])]


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_keeps_the_contract(name):
    problem, X, Y = PROBLEMS[name](0)
    try:
        X[0]
    except NotImplementedError:
        pytest.skip("this scipy cannot index the rows of a sparse array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_problem(problem, X, Y, max_examples=3)


@pytest.mark.parametrize("kind", BUNDLED, ids=lambda kind: kind.__name__)
def test_a_problem_takes_its_example_data(kind):
    problem, (X, Y) = kind(), kind.example_data()
    initialize(problem, X, Y)
    task = bound(problem, X, Y, np.arange(n_examples(X)))
    assert len(task.decode(some_w(problem))) == n_examples(X)


@pytest.mark.parametrize("kind", WITH_OUTPUTS, ids=lambda kind: kind.__name__)
def test_forgotten_outputs_are_named(kind):
    with pytest.raises(ValueError, match=r"^\w+ (needs|has).* y\b"):
        StructuredSVM(kind()).fit(kind.example_data()[0])


def some_w(problem, seed=0):
    """A random w within the bounds of a problem."""
    w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    lower = constraints_of(problem).lower
    return w if lower is None else np.maximum(w, lower)


def searched(problem, X, Y):
    """The task of the data and labels, and the outputs of its search at a random w."""
    initialize(problem, X, Y)
    task, w = bound(problem, X, Y, np.arange(n_examples(X))), some_w(problem)
    if isinstance(problem, SelfLabelledProblem):
        task = task.with_labels(task.impute(w))
    return task, task.search(w)


def changed(x, change):
    """An input with other features, dense or the entries of a CSR matrix."""
    if isinstance(x, tuple):
        parts = [changed(part, change) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if isinstance(x, list) or (isinstance(x, np.ndarray) and x.dtype == object):
        return [changed(part, change) for part in x]
    if getattr(x, "dtype", np.dtype(int)).kind != "f":
        return x
    if not sparse.issparse(x):
        return change(x)
    x = x.copy()
    x.data = change(x.data)
    return x


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROBLEMS)
def test_inexact_searches_and_terms_that_cancel_count_in_rounding_errors(name, monkeypatch):
    problem, X, Y = PROBLEMS[name](0)
    calls = []
    for module in [m for n, m in sys.modules.items() if n.startswith("structsvm.problems.")]:
        for solver in INEXACT:
            if original := getattr(module, solver, None):
                monkeypatch.setattr(module, solver, recorded(original, calls))
    own, outputs = searched(problem, X, Y)
    assert problem.roundoff or not calls

    def sizes(change):
        task, _ = searched(problem, changed(X, change), Y)
        return absolute_sums(task.with_labels(own.Y), True, outputs)[0]

    positive = sizes(np.abs)
    assert np.all(sizes(np.array) >= 0.1 * positive)
    features = np.flatnonzero(sizes(lambda x: 2 * np.abs(x)) > 1.9 * positive)
    assert np.all(sizes(lambda x: x + 1e3)[features] >= 100 * positive[features])


def recorded(function, calls):
    def call(*args, **kwargs):
        calls.append(function)
        return function(*args, **kwargs)

    return call


# ---------------------------------------------------------------------- examples apart


def dense(row):
    return np.ravel(row.toarray() if sparse.issparse(row) else row).astype(np.float64)


def scaled(X, scales):
    """Every example at another scale."""
    if isinstance(X, list):
        return [
            changed(x, lambda part, scale=scale: part * part.dtype.type(scale))
            for x, scale in zip(X, scales, strict=True)
        ]
    if sparse.issparse(X):
        return X.multiply(scales[:, None]).tocsr().astype(X.dtype)
    return (X * scales.reshape(-1, *[1] * (X.ndim - 1))).astype(X.dtype)


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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", TOGETHER)
def test_a_task_finds_for_each_what_the_problem_does_whatever_the_scale_of_others(name, seed):
    problem, X, Y = PROBLEMS[name](seed)
    rng, n = np.random.default_rng(seed), n_examples(X)
    i, exponents = rng.integers(n), rng.integers(-14, 14, size=n)  # float32 goes to 1e14
    exponents[i] = 0
    problem.initialize(X, Y)
    X, w = scaled(X, 10.0**exponents), some_w(problem, seed)
    task, roundoff = problem.task(X, Y), unit_roundoff([X[i]])

    def compare(search):
        y = None if Y is None else Y[i]
        beside = getattr(task, search)(w)[i]
        alone = getattr(problem, SEARCHES[search])(X[i], *([y] if search != "decode" else []), w)
        pairs = [value_and_size(problem, search, X[i], y, w, found) for found in (beside, alone)]
        (value, size), (other, other_size) = pairs
        error = MULTIPLE * max(roundoff, problem.roundoff or 0.0)
        assert abs(value - other) <= error * max(size, other_size), search

    if isinstance(problem, SelfLabelledProblem):
        compare("impute")
        Y = task.impute(w)
        task = task.with_labels(Y)
    for search in ("search", "search_rescaled", "decode"):
        if getattr(problem, SEARCHES[search]) is not None:
            compare(search)
    if problem.soft_oracle is not None:
        beside, alone = task.soft(w, 0.5, np.eye(n)[i]), problem.soft_oracle(X[i], Y[i], w, 0.5)
        close = {"rtol": 1e4 * roundoff, "atol": 1e4 * roundoff}
        np.testing.assert_allclose(beside.values[i], alone.value, **close)
        np.testing.assert_allclose(beside.loss, alone.loss, **close)
        rows = beside.joint_feature_difference, dense(alone.joint_feature_difference)
        np.testing.assert_allclose(*rows, **close)
