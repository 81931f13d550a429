"""Cutting planes with constraints and relaxed oracles reach the optimum of cvxopt and LIBLINEAR.

The laws of all solvers compare each with enumeration.
"""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC
from toy_problems import (
    Assignment,
    ConstrainedMultilabel,
    Multilabel,
    RelaxedAssignment,
    assignment_data,
    full_objective,
    full_optimum,
    multilabel_data,
)

from structsvm import (
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
)
from structsvm.problems import Multiclass

pytestmark = pytest.mark.slow

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]


def require_optimum(result, problem, X, Y, C, rescaling="margin"):
    """The result's values bracket the reference, and its w attains it."""
    optimum, w = full_optimum(problem, X, Y, C, rescaling)
    assert result.status.name == "CONVERGED"
    assert result.primal == pytest.approx(optimum, rel=1e-6)
    assert result.dual == pytest.approx(optimum, rel=1e-6)
    attained = full_objective(problem, X, Y, result.w, C, rescaling)
    assert attained == pytest.approx(optimum, rel=1e-6)
    # 1/2 |w - w*|^2 is at most what the objective at w exceeds the optimum by.
    assert np.linalg.norm(result.w - w) < 2e-3 * np.sqrt(optimum)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])
def test_without_constraints(solver, C):
    for problem, (X, Y) in ((Multilabel(), multilabel_data()), (Assignment(), assignment_data())):
        for prune_after in (0, 3):
            result = solver(rtol=1e-7, prune_after=prune_after).solve(problem, X, Y, C)
            require_optimum(result, problem, X, Y, C)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["nonnegative", "balanced", "equality", "floor"])
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_constrained(solver, kind, rescaling, C):
    X, Y = multilabel_data(3)
    problem = ConstrainedMultilabel(kind)
    result = solver(rtol=1e-7, rescaling=rescaling).solve(problem, X, Y, C)
    require_optimum(result, problem, X, Y, C, rescaling)
    A, b = problem.constraints()
    assert np.all(A @ result.w <= b + 1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_overgenerating_oracle_trains_on_the_superset(solver, C):
    class Superset(RelaxedAssignment):
        def outputs(self, x):
            return product(range(len(x)), repeat=len(x))

    X, Y = assignment_data(1)
    result = solver(rtol=1e-7).solve(RelaxedAssignment(), X, Y, C)
    require_optimum(result, Superset(), X, Y, C)
    optimum, _ = full_optimum(Assignment(), X, Y, C)
    assert optimum <= result.primal * (1 + 1e-7)
    assert optimum < result.dual - 1e-3, "this instance shows that the dual is no lower bound"


@pytest.mark.parametrize(("solver", "n"), [(OneSlackCuttingPlane, 600), (NSlackCuttingPlane, 200)])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_liblinear_crammer_singer_on_digits(solver, n, C):
    X, y = load_digits(return_X_y=True)
    X, y = X[:n] / 16, y[:n]
    theirs = LinearSVC(
        multi_class="crammer_singer", fit_intercept=False, C=C / n, tol=1e-5, max_iter=100_000
    ).fit(X, y)

    def objective(W):
        scores = X @ W.T
        augmented = scores + (np.arange(10) != y[:, None])
        slacks = augmented.max(axis=1) - scores[np.arange(n), y]
        return 0.5 * np.sum(W**2) + C * slacks.mean()

    result = solver(rtol=1e-4).solve(Multiclass(), X, y, C)
    assert objective(result.w.reshape(10, -1)) == pytest.approx(result.primal, rel=1e-9)
    assert result.primal == pytest.approx(objective(theirs.coef_), rel=1e-3)
    assert result.dual <= objective(theirs.coef_)
