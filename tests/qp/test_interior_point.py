"""The fallback alone: it solves, needs cvxopt only when called, and leaves its options alone."""

import copy
import sys

import cvxopt.solvers
import numpy as np
import pytest
from qp_instances import SHAPES, make_instance

from structsvm.qp import active_set, interior_point, solve_restricted_dual
from structsvm.qp.certificate import certify, clip_to_feasible


@pytest.mark.parametrize("shape", SHAPES)
def test_it_solves_the_dual(shape):
    H, b, groups, caps = make_instance(11, shape)
    alpha, iterations = interior_point.solve(H, b, groups, caps, 1e-9)
    alpha = clip_to_feasible(alpha, groups, caps)
    assert certify(H, b, groups, caps, alpha).accepts(1e-6)
    assert 0 < iterations <= interior_point.MAX_ITERATIONS


def test_an_arithmetic_failure_is_a_feasible_zero():
    H, b, groups, caps = make_instance(11, "1-slack")
    alpha, iterations = interior_point.solve(np.nan * H, b, groups, caps, 1e-9)
    np.testing.assert_array_equal(alpha, np.zeros(len(b)))
    assert iterations == 0


def test_without_cvxopt_the_call_fails(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxopt", None)
    with pytest.raises(ImportError, match="cvxopt"):
        interior_point.solve(*make_instance(11, "1-slack"), 1e-9)


def test_inputs_and_cvxopt_options_are_untouched(monkeypatch):
    instance = make_instance(5, "balance")
    alpha0 = np.full(len(instance[1]), -1.0)
    copies, options = copy.deepcopy([*instance, alpha0]), dict(cvxopt.solvers.options)
    for array in (*instance, alpha0):
        array.setflags(write=False)
    solve_restricted_dual(*instance, alpha0=alpha0)
    monkeypatch.setattr(active_set, "solve", lambda H, b, g, c, a, tol: (a, 0))
    assert solve_restricted_dual(*instance, alpha0=alpha0).backend == "cvxopt"
    for array, kept in zip((*instance, alpha0), copies, strict=True):
        np.testing.assert_array_equal(array, kept)
    assert cvxopt.solvers.options == options
