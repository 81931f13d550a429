"""Assignments, against all of them."""

from itertools import product

import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs

from structsvm.problems.decisions.optimizers import Assignments


def assignments(rows, columns):
    """All 0/1 matrices with as many ones as the smaller side, no two in a row or column."""
    matrices = np.array(list(product((0, 1), repeat=rows * columns))).reshape(-1, rows, columns)
    good = (matrices.sum(axis=1) <= 1).all(axis=1) & (matrices.sum(axis=2) <= 1).all(axis=1)
    good &= matrices.sum(axis=(1, 2)) == min(rows, columns)
    return matrices[good].reshape(-1, rows * columns)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (1, 3), (1, 1)])
def test_the_cheapest_of_all_assignments_is_found(shape):
    optimizer, expected = Assignments(*shape), assignments(*shape)
    assert_lists(optimizer, expected)
    assert_best(optimizer, drawn_costs(0, 40, shape[0] * shape[1]), expected)


def test_there_are_as_many_columns_as_rows_by_default():
    assert repr(Assignments(3)) == "Assignments(n_rows=3, n_columns=3)"
    assert Assignments(3).n_costs == 9


@pytest.mark.parametrize("shape, name", [((0, 2), "n_rows"), ((2, 1.5), "n_columns")])
def test_bad_shapes_are_refused(shape, name):
    with pytest.raises(ValueError, match=f"{name} must be an integer >= 1; got"):
        Assignments(*shape)
