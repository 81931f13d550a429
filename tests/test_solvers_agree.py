"""All solvers reach the same optimum, and it is the one that others find: cvxopt, LIBLINEAR."""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC
from toy_problems import (
    Assignment,
    ConstrainedMultilabel,
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    RelaxedAssignment,
    assignment_data,
    full_objective,
    full_optimum,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
)
from structsvm.problems import Multiclass

pytestmark = pytest.mark.slow

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
KINDS = ["nonnegative", "balanced", "equality", "floor"]
CS = [1e-2, 1.0, 1e4]


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


@pytest.mark.parametrize("solver", [*SOLVERS, SmoothedLBFGS, SmoothedCuttingPlane])
@pytest.mark.parametrize("C", CS)
@pytest.mark.parametrize("seed", [0, 1])
def test_multilabel(solver, C, seed):
    X, Y = multilabel_data(seed)
    # Planes of a soft oracle are known to its rounding: at the largest C it is above 1e-7.
    rtol = 1e-6 if solver is SmoothedLBFGS and C == max(CS) else 1e-7
    for prune_after in (0, 3) if solver in SOLVERS else ():
        result = solver(rtol=rtol, prune_after=prune_after).solve(Multilabel(), X, Y, C)
        require_optimum(result, Multilabel(), X, Y, C)
    require_optimum(solver(rtol=rtol).solve(Multilabel(), X, Y, C), Multilabel(), X, Y, C)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", CS)
def test_slack_rescaling_and_assignment(solver, C):
    X, Y = multilabel_data(2)
    result = solver(rtol=1e-7, rescaling="slack").solve(Multilabel(), X, Y, C)
    require_optimum(result, Multilabel(), X, Y, C, "slack")
    X, Y = assignment_data()
    result = solver(rtol=1e-7).solve(Assignment(), X, Y, C)
    require_optimum(result, Assignment(), X, Y, C)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("C", CS)
def test_constrained(solver, kind, rescaling, C):
    X, Y = multilabel_data(3)
    problem = ConstrainedMultilabel(kind)
    result = solver(rtol=1e-7, rescaling=rescaling).solve(problem, X, Y, C)
    require_optimum(result, problem, X, Y, C, rescaling)
    A, b = problem.constraints()
    assert np.all(A @ result.w <= b + 1e-6)


@pytest.mark.parametrize("C", CS)
def test_cccp_on_complete_annotations_is_the_convex_problem(C):
    X = topics_data()
    problem = LatentTopics()
    rng = np.random.default_rng(0)
    Y = [tuple(rng.integers(3, size=len(x)).tolist()) for x in X]
    result = CCCP(rtol=1e-7).solve(problem, X, Y, C)
    require_optimum(result, problem, X, Y, C)


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


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_undergenerating_oracle_gives_a_lower_bound(solver, seed):
    X, Y = multilabel_data(seed, n_labels=4)
    result = solver(rtol=1e-6).solve(LocalSearchMultilabel(4), X, Y, 1.0)
    optimum, _ = full_optimum(Multilabel(4), X, Y, 1.0)
    assert result.dual <= optimum * (1 + 1e-9)
    assert result.dual <= result.primal * (1 + 1e-9)


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
