"""The test for a size that counts the examples, as it does where the axes of X are mixed up."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from structsvm.check.copies import own
from structsvm.containers import take
from structsvm.oracle.call import real_array
from structsvm.oracle.setup import copied, set_sizes
from structsvm.problem import Indices, Problem
from structsvm.self_labelled import SelfLabelledProblem


def counts_examples(problem: Problem, X: Any, Y: Any, index: Indices) -> str:
    """Return what is wrong where ``size_joint_feature`` changes with a repeated example, or ''.

    With as many examples as features such a size is right by chance.
    """
    few = [int(i) for i in index]
    more = [*few, few[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            before, after = (initialized(problem, X, Y, rows) for rows in (few, more))
        except Exception:  # so few examples need not fit the problem
            return ""
        sizes = [copy.size_joint_feature for copy in (before, after)]
        if sizes[0] == sizes[1]:
            return ""
        wrong = _wrong_joint_feature(after, X, Y, few[0])
    if not wrong:  # a joint feature that grows alike breaks no rule
        return ""
    return (
        f"it sets size_joint_feature to {sizes[0]} for {len(few)} examples and to {sizes[1]} where "
        f"one of them is repeated, but joint_feature {wrong}: is the number of examples, "
        "X.shape[0], taken for that of features?"
    )


def initialized(problem: Problem, X: Any, Y: Any, rows: list[int]) -> Problem:
    """Return a copy of the problem that is initialized with some examples."""
    copy: Problem = copied(problem)
    set_sizes(copy, own(take(X, rows)), None if Y is None else own(take(Y, rows)))
    return copy


def _wrong_joint_feature(problem: Problem, X: Any, Y: Any, i: int) -> str:
    """Return what is wrong with the joint feature of an example, for the problem's size, or ''."""
    size = problem.size_joint_feature
    x = own(X[i])
    try:
        if Y is None or isinstance(problem, SelfLabelledProblem):
            y = problem.decode(x, np.random.default_rng(0).standard_normal(size))
        else:
            y = own(Y[i])
        length = real_array(problem.joint_feature(x, y)).size
    except Exception as error:
        return f"then fails ({type(error).__name__}: {error})"
    return "" if length == size else f"has length {length}"
