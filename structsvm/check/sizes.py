"""Tests that the size does not count examples, and that joint features have this size."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from structsvm.check.copies import own
from structsvm.check.raised import attempted
from structsvm.contract.capabilities import offers
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Indices
from structsvm.data.containers import take
from structsvm.oracle.setup import copied, set_sizes
from structsvm.task.call import real_array


def counts_examples(problem: Problem, X: Any, Y: Any, index: Indices) -> str:
    """Return what is wrong where ``size_joint_feature`` changes with a repeated example, or ''.

    With as many examples as features a wrong size is right by chance.
    """
    few = [int(i) for i in index]
    more = [*few, few[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made, error = attempted(lambda: [initialized(problem, X, Y, rows) for rows in (few, more)])
        if error:  # so few examples need not fit the problem
            return ""
        before, after = made
        sizes = [copy.size_joint_feature for copy in (before, after)]
        if sizes[0] == sizes[1]:
            return ""
        wrong = _wrong_joint_feature(after, X, Y, few[0])
    if not wrong:  # a joint feature that grows with the size breaks no rule
        return ""
    return (
        f"it sets size_joint_feature to {sizes[0]} for {len(few)} examples and to {sizes[1]} where "
        f"one of them is repeated, but joint_feature {wrong}: is the number of examples, "
        "X.shape[0], taken for that of features?"
    )


def other_size(problem: Problem, X: Any, Y: Any, index: Indices) -> tuple[str, str] | None:
    """Return the method that is wrong and why, where joint features have one other length.

    If the decoder takes a w of ``size_joint_feature`` but not of that other length, the joint
    feature is wrong, else ``initialize``.
    """
    if Y is None or isinstance(problem, SelfLabelledProblem):
        return None
    pairs = [(own(X[int(i)]), own(Y[int(i)])) for i in index]
    length, error = attempted(_common_length, problem, pairs)
    size = problem.size_joint_feature
    # single_calls_succeed reports an error.
    if error or length == size or not offers(problem, "initialize"):
        return None
    x = pairs[0][0]
    fits, other = (attempted(problem.decode, own(x), np.ones(n))[1] is None for n in (size, length))
    if fits and not other:
        return "joint_feature", (
            f"it returns vectors of length {length}, but initialize sets size_joint_feature to "
            f"{size}, which decode expects too"
        )
    return "initialize", (
        f"it sets size_joint_feature to {size}, but joint_feature returns vectors of length "
        f"{length}; w and all joint features must have the same length"
    )


def _common_length(problem: Problem, pairs: list[tuple[Any, Any]]) -> int:
    """The length of the joint features of all pairs; a ValueError unless they have one."""
    ((length,),) = {np.shape(real_array(problem.joint_feature(x, y))) for x, y in pairs}
    return length


def initialized(problem: Problem, X: Any, Y: Any, rows: list[int]) -> Problem:
    """Return a copy of the problem that is initialized with some examples."""
    copy: Problem = copied(problem)
    set_sizes(copy, own(take(X, rows)), None if Y is None else own(take(Y, rows)))
    return copy


def _wrong_joint_feature(problem: Problem, X: Any, Y: Any, i: int) -> str:
    """Return what is wrong with the joint feature of an example, for the problem's size, or ''."""
    size = problem.size_joint_feature

    def length_of_joint_feature() -> int:
        x = own(X[i])
        if Y is None or isinstance(problem, SelfLabelledProblem):
            y = problem.decode(x, np.random.default_rng(0).standard_normal(size))
        else:
            y = own(Y[i])
        return real_array(problem.joint_feature(x, y)).size

    length, error = attempted(length_of_joint_feature)
    if error:
        return f"then fails ({type(error).__name__}: {error})"
    return "" if length == size else f"has length {length}"
