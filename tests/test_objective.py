"""The formulas of the objective, on numbers that can be checked by hand."""

import numpy as np
import pytest

from structsvm.objective import dual_value, group_caps, primal_value


def test_a_group_weighs_its_fraction_of_the_examples():
    np.testing.assert_array_equal(group_caps(6.0, np.array([1, 2])), [2.0, 4.0])
    assert group_caps(6.0, np.ones(3)).sum() == pytest.approx(6.0)


def test_the_primal_is_half_the_squared_norm_and_the_weighted_slacks():
    w, caps, slacks = np.array([3.0, 4.0]), np.array([2.0, 1.0]), np.array([0.5, 0.25])
    assert primal_value(w, caps, slacks) == 12.5 + 1.25


def test_the_dual_without_bounds_is_that_of_the_plain_formula():
    v = np.array([1.0, -2.0])
    assert dual_value(v, v, 4.0) == 4.0 - 2.5


def test_the_dual_with_bounds_is_below_the_primal_and_meets_it_at_the_optimum():
    # One example with loss 1 and difference (1, -1), w >= 0, C = 10: w = (1, 0), and P = D = 1 / 2.
    row, offset, lower, cap = np.array([1.0, -1.0]), 1.0, np.zeros(2), np.array([10.0])
    duals, primals = [], []
    for alpha in np.linspace(0, 2, 9):
        w = np.maximum(alpha * row, lower)
        duals.append(dual_value(alpha * row, w, alpha * offset))
        primals.append(primal_value(w, cap, np.maximum(offset - w @ row, 0)[None]))
    assert max(duals) == pytest.approx(0.5)
    assert min(primals) == pytest.approx(0.5)
