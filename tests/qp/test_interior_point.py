"""The interior point alone: it solves, whatever the sizes of rows and columns, and does no harm."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qp_instances import SHAPES, make_instance

from structsvm.qp import active_set, interior_point, solve_restricted_dual
from structsvm.qp.by_cvxopt import solve_by_cvxopt
from structsvm.qp.coordinates import Coordinates

#: Without the pairs of hard planes that leave a narrow gap, in which there is hardly an inside.
INSIDE = sorted(set(SHAPES) - {"balance"})


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(INSIDE), st.sampled_from([1e-2, 1.0, 1e2, 1e5]))
def test_it_solves_the_dual(seed, shape, cap):
    H, b, groups, caps = make_instance(seed, shape, cap)
    found = interior_point.solve(Coordinates.of_gram(H).T, b, groups, caps)
    assert found.certified
    assert found.iterations < interior_point.MAX_ITERATIONS
    other = solve_by_cvxopt(H, b, groups, caps)
    assert found.dual >= other.dual - 1e-6 * abs(found.primal)


def scaled(kind, rows, rng):
    if kind == "columns":
        return rows * 10.0 ** rng.uniform(-10, 10, size=rows.shape[1])
    if kind == "offset":
        return (rows + 1e9) * rng.choice([-1, 1], size=(len(rows), 1))
    rows[rng.integers(len(rows)), 0] = 1e11
    return rows


@pytest.mark.parametrize("kind", ["columns", "offset", "one entry"])
@pytest.mark.parametrize("seed", range(3))
def test_sizes_of_columns_and_rows_do_no_harm(kind, seed):
    rng = np.random.default_rng(seed)
    rows = scaled(kind, rng.normal(size=(30, 8)), rng)
    b, groups, caps = rng.random(30) + 0.1, np.repeat(np.arange(10), 3), np.full(10, 5.0)
    found = solve_restricted_dual(rows @ rows.T, b, groups, caps, rows=rows)
    assert found.certified
    # The values at w and alpha, without Gram matrix and coordinates.
    w = found.alpha @ rows if found.w is None else found.w
    slacks = np.zeros(10)
    np.maximum.at(slacks, groups, b - rows @ w)
    assert 0.5 * w @ w + caps @ slacks == pytest.approx(found.primal, rel=1e-4)
    v = found.alpha @ rows
    assert b @ found.alpha - 0.5 * v @ v == pytest.approx(found.dual, rel=1e-4)
    assert found.primal - found.dual <= 1e-6 * found.primal


def test_without_a_finite_number_the_answer_is_feasible():
    _, b, groups, caps = make_instance(11, "1-slack")
    T = np.full((len(b), 3), np.nan)
    found = interior_point.solve(T, b, groups, caps)
    assert np.isfinite(found.alpha).all() and found.alpha.sum() <= caps.sum()
    assert found.error == np.inf


def test_rows_of_zeros_have_no_coordinates():
    coordinates = Coordinates.of_rows(np.zeros((3, 4)))
    assert coordinates.T.shape == (3, 0)
    found = interior_point.solve(coordinates.T, np.ones(3), np.zeros(3, int), np.ones(1))
    assert found.dual == pytest.approx(1.0)
    np.testing.assert_array_equal(coordinates.point(found.w), np.zeros(4))


def test_inputs_are_untouched(monkeypatch):
    instance = make_instance(5, "balance")
    alpha0 = np.full(len(instance[1]), -1.0)
    copies = copy.deepcopy([*instance, alpha0])
    for array in (*instance, alpha0):
        array.setflags(write=False)
    solve_restricted_dual(*instance, alpha0=alpha0)
    monkeypatch.setattr(active_set, "solve", lambda H, b, g, c, a: (a, 0))
    assert solve_restricted_dual(*instance, alpha0=alpha0).backend == "interior-point"
    for array, kept in zip((*instance, alpha0), copies, strict=True):
        np.testing.assert_array_equal(array, kept)
