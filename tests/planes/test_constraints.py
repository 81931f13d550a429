"""Constraints and lower bounds on w: kept by the solvers, equal to each other, and checked."""

import numpy as np
import pytest
from scipy import sparse

from structsvm import (
    CCCP,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    WeightConstraints,
    check_problem,
)
from structsvm.exceptions import InfeasibleConstraintsError
from structsvm.planes.constraints import Constraints
from structsvm.planes.working_set import projected
from structsvm.problems import MMCProblem, Multiclass

SOLVERS = [OneSlackCuttingPlane(rtol=1e-6), NSlackCuttingPlane(rtol=1e-6)]
#: Length of w where the constraints are tested alone.
D = 5


class Limited(Multiclass):
    """Multiclass with constraints."""

    def __init__(self, found):
        super().__init__()
        self.found = found

    def constraints(self):
        return self.found


def bounded(lower=0.0, as_rows=False, more=None, size=12):
    """Multiclass with bounds, as bounds or as rows, and more constraints."""
    lower = np.array(np.broadcast_to(lower, size), dtype=float)
    A, b = more or (np.empty((0, size)), np.empty(0))
    if as_rows:
        finite = np.isfinite(lower)
        A, b, lower = np.vstack([A, -np.eye(size)[finite]]), np.append(b, -lower[finite]), None
    return Limited(WeightConstraints(A, b, lower))


def data(seed, n=25, d=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.r_[0, 1, 2, rng.integers(3, size=n - 3)]


def mixed_bounds(seed, size=12):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(size) < 0.3, -np.inf, rng.normal(scale=0.3, size=size))


# ---------------------------------------------------------------------- lower bounds


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize(("seed", "C"), [(0, 0.3), (1, 30.0)])
def test_bounds_equal_constraints(solver, seed, C, beside):
    (X, y), rng = data(seed), np.random.default_rng(seed)
    more = (rng.normal(size=(2, 12)), np.array([0.1, -0.2])) if beside else None
    for lower in (-0.01 if beside else 0.0, mixed_bounds(seed)):
        bounds = solver.solve(bounded(lower, more=more), X, y, C=C)
        rows = solver.solve(bounded(lower, as_rows=True, more=more), X, y, C=C)
        assert bounds.status.name == rows.status.name == "CONVERGED"
        assert np.isclose(bounds.primal, rows.primal, rtol=1e-5)
        np.testing.assert_allclose(bounds.w, rows.w, atol=5e-3 * (1 + np.abs(rows.w).max()))
        assert np.all(bounds.w >= np.asarray(lower))
        assert np.any(bounds.w == np.asarray(lower)), "the bounds should matter here"
        assert bounds.verify(bounded(lower, more=more), X, y).matches
        # Without the bounds, or with other constraints, the same dual variables prove less.
        assert not bounds.verify(bounded(-np.inf, more=more), X, y).matches
        if beside:
            shifted = bounded(lower, more=(more[0], more[1] - 0.1))
            assert not bounds.verify(shifted, X, y).matches


def test_a_start_outside_the_bounds_is_projected():
    X, y = data(0)
    result = OneSlackCuttingPlane().solve(bounded(), X, y, C=1.0, w0=-np.ones(12))
    assert np.all(result.w >= 0)
    A = sparse.csr_array(np.array([[1.0, 1.0]]))
    w = projected(np.array([3.0, -1.0]), Constraints((A, [1.0]), 2, np.zeros(2)))
    np.testing.assert_allclose(w, [1.0, 0.0], atol=1e-7)
    w = projected(np.array([2.0, 1.0]), Constraints((A, [1.0]), 2, np.zeros(2)))
    np.testing.assert_allclose(w, [1.0, 0.0], atol=1e-7)


def test_ten_thousand_weights():
    """Most bounds are active in every solution; they do not become planes."""
    rng = np.random.default_rng(0)
    X = sparse.random(60, 5000, density=0.05, random_state=0, format="csr")
    y = rng.integers(2, size=60)
    result = OneSlackCuttingPlane().solve(bounded(size=10_000), X, y, C=10.0)
    assert result.status.name == "CONVERGED"
    assert result.history[-1].n_planes < 300
    assert np.all(result.w >= 0)


def test_self_labelled_problems_keep_bounds():
    class Halfspace(MMCProblem):
        def constraints(self):
            return WeightConstraints(lower=np.zeros(self.size_joint_feature))

    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3)) + np.repeat([[2.0, 2.0, 2.0], [-2.0, -2.0, -2.0]], 15, axis=0)
    result = CCCP().solve(Halfspace(), [X], None, C=10.0, w0=np.array([1.0, 0.1, 0.1]))
    assert np.all(result.w >= 0)
    assert result.w.any()
    assert result.verify(Halfspace(), [X]).matches


EYE = np.eye(12)
MALFORMED = {
    "a short b": ((EYE, np.zeros(11)), "constraints"),
    "a narrow A": ((np.eye(11), np.zeros(11)), "constraints"),
    "NaN in A": ((np.full((1, 12), np.nan), np.zeros(1)), "constraints"),
    "NaN in b": ((EYE, np.full(12, np.nan)), "constraints"),
    "A only": ((EYE,), "constraints"),
    "no pair": (EYE, "constraints"),
    "a number": (7, "constraints"),
    "strings": (("a", "b"), "constraints"),
    "a column outside": ((sparse.csr_matrix(([1.0], [15], [0, 1]), (1, 12)), [0.0]), "constraints"),
    "infeasible": ((np.vstack([EYE[:1], -EYE[:1]]), [1.0, -1.1]), "constraints .*no w satisfies"),
    "short bounds": (WeightConstraints(lower=np.zeros(5)), "shape"),
    "NaN bounds": (WeightConstraints(lower=np.full(12, np.nan)), "numbers"),
    "infinite bounds": (WeightConstraints(lower=np.full(12, np.inf)), "numbers"),
    "text": (WeightConstraints(lower="low"), "array"),
    "contradiction": (WeightConstraints(np.ones((1, 12)), [-1.0], np.zeros(12)), "lower bounds"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_constraints_end_a_run(name):
    answer, message = MALFORMED[name]
    for solver in SOLVERS:
        with pytest.raises((ProblemError, InfeasibleConstraintsError), match=message):
            solver.solve(Limited(answer), *data(0))


def test_the_checker_refuses_unusable_bounds():
    with pytest.raises(ProblemError, match="numbers"):
        check_problem(bounded(np.nan), *data(0))


def test_constraints_that_raise():
    problem = type("Odd", (Multiclass,), {"constraints": lambda self: [][0]})()
    with pytest.raises(ProblemError, match="constraints raised IndexError: list index"):
        OneSlackCuttingPlane().solve(problem, *data(0))


# ---------------------------------------------------------------------- constraints alone


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix, sparse.coo_matrix, list])
def test_constraint_matrices_of_any_kind(convert):
    A = np.vstack([np.ones(D), -np.ones(D)])
    constraints = Constraints((convert(A), [0.1, 0.1]), D)
    norm = np.sqrt(D)
    excess = (D - 0.1) / norm
    scale = 0.1 / norm + norm
    np.testing.assert_allclose(constraints.violations(np.ones(D)), [excess / scale, 0])
    rows, offsets = constraints.planes(np.array([1]))
    np.testing.assert_allclose(rows, -A[1:] / norm)
    np.testing.assert_allclose(offsets, [-0.1 / norm])


@pytest.mark.parametrize("scale", [1e-10, 1.0, 1e10])
def test_violations_do_not_depend_on_the_scale_of_w(scale):
    constraints = Constraints((np.ones((1, D)), scale * np.ones(1)), D, -scale * np.ones(D))
    for w in (np.ones(D), -2 * np.ones(D)):
        violation = constraints.largest_violation(scale * w)
        unscaled = Constraints((np.ones((1, D)), np.ones(1)), D, -np.ones(D))
        assert violation == pytest.approx(unscaled.largest_violation(w))


def test_rounding_errors_of_a_cancelled_w_are_no_violation():
    constraints = Constraints((np.ones((1, D)), np.zeros(1)), D)
    w = 1e-17 * np.ones(D)
    assert constraints.largest_violation(w) > 0.1
    assert constraints.largest_violation(w, size=1.0) < 1e-10


def test_the_cost_of_a_violation_is_what_the_objective_falls_by():
    # min w^2 / 2 with w >= 1: at w = 1 - e the objective is lower by e, and the multiplier 1.
    constraints = Constraints((np.array([[-2.0]]), np.array([-2.0])), 1)
    for excess in (1e-3, 1e-6):
        w = np.array([1 - excess])
        assert constraints.cost(w, np.array([0.5])) == pytest.approx(excess, rel=1e-6)
        assert 0.5 * w @ w + constraints.cost(w, np.array([0.5])) >= 0.5
    assert Constraints(None, 1).cost(w, np.empty(0)) == 0.0
    # Its terms in the dual are those of mu * (b - A v), which cancel.
    assert constraints.terms_of_dual(np.array([3.0]), np.array([0.5])) == pytest.approx(1.0 + 3.0)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_infeasible_constraints_of_any_scale(scale):
    first = np.eye(D)[:1]
    rows = np.vstack([first, -first])
    Constraints((rows, scale * np.array([1.0, -1.0])), D)  # one value only
    with pytest.raises(InfeasibleConstraintsError, match="constraints"):
        Constraints((rows, scale * np.array([1.0, -1.1])), D)
    Constraints((rows, scale * np.array([1.1, -1.0])), D)
