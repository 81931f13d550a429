"""The central path ends at the optimum of the dual, and DualInteriorPoint certifies it."""

import numpy as np
import pytest
from changed_tasks import with_answer

from structsvm import DualInteriorPoint, OneSlackCuttingPlane, ProblemError, choose_solver
from structsvm.contract.products import Products
from structsvm.problems import Multiclass
from structsvm.solvers.interior_point.path import CentralPath
from structsvm.solvers.interior_point.products import InnerProducts
from structsvm.solvers.thresholds import FEW_ROWS, PATIENCE

COSTS = [None, [[0, 5, 1], [1, 0, 2], [0, 3, 0]]]


def rows(n=40, d=60, separable=True, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return (3.0 if separable else 0.3) * np.eye(3, d)[y] + rng.normal(size=(n, d)), y


def bracket(X, y, C, cost=None, **options):
    """A lower and an upper bound of the optimum, 1e-7 apart relatively."""
    found = OneSlackCuttingPlane(rtol=1e-7).solve(Multiclass(cost), X, y, C, **options)
    assert found.status.name == "CONVERGED"
    return found.dual, found.primal


def require_optimum(result, low, high):
    assert result.status.name == "CONVERGED"
    assert result.solver.startswith("DualInteriorPoint, ")
    assert result.dual <= high and low <= result.primal


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("d", [3, 60])
@pytest.mark.parametrize("C", [0.1, 1e5])
def test_it_finds_the_optimum(d, C, cost):
    X, y = rows(d=d)
    result = DualInteriorPoint(rtol=1e-6).solve(Multiclass(cost), X, y, C)
    require_optimum(result, *bracket(X, y, C, cost))
    assert result.verify(Multiclass(cost), X, y).matches


def test_rows_that_no_weights_separate_take_few_steps_too():
    X, y = rows(n=60, d=8, separable=False)
    result = DualInteriorPoint().solve(Multiclass(), X, y, 1e3)
    require_optimum(result, *bracket(X, y, 1e3))
    assert result.primal > 100 and result.iterations < 50
    # Scores may all be equal at the start.
    X, y = np.array([[1.0], [-1.0]]), np.array([0, 1])
    result = DualInteriorPoint(rtol=1e-6).solve(Multiclass(), X, y, 1.0)
    require_optimum(result, *bracket(X, y, 1.0))


@pytest.mark.parametrize("d", [5, 60])
def test_weights_of_examples_and_a_prior(d):
    X, y = rows(d=d, separable=False)
    prior = np.random.default_rng(1).normal(size=3 * d)
    options = {"sample_weight": np.tile([0.0, 1.0, 3.0, 0.5], 10), "w_prior": prior}
    result = DualInteriorPoint(rtol=1e-6).solve(Multiclass(), X, y, 10.0, **options)
    require_optimum(result, *bracket(X, y, 10.0, **options))


def test_single_precision_does_not_round_the_objective_down():
    """The solver that goes on takes the point over, whose square must have no float32 errors."""
    X, y = rows(n=3, d=8)
    X, prior = X.astype(np.float32), 1e4 * np.random.default_rng(1).normal(size=24)
    result = DualInteriorPoint(rtol=1e-6).solve(Multiclass(), X, y, 100.0, w_prior=prior)
    assert "handed over" in result.solver
    w = result.w.astype(np.longdouble)
    scores = X.astype(np.longdouble) @ w.reshape(3, 8).T
    slacks = (1 - np.eye(3)[y] + scores).max(axis=1) - scores[np.arange(3), y]
    assert result.primal >= np.square(w - prior).sum() / 2 + 100 * slacks.mean()


def test_every_point_of_the_path_is_a_dual_solution():
    X, y = rows()
    losses = 1 - np.eye(3)[y]
    path = CentralPath(InnerProducts(2.0 * X @ X.T), losses, y)
    for _ in range(10):
        path.step()
        assert path.probabilities.min() > 0
        np.testing.assert_allclose(path.probabilities.sum(axis=1), 1, atol=1e-12)
        objective, gap = path.gap()
        assert gap > 0
        # The same from w itself: 2 is C/n.
        W = 2.0 * (np.eye(3)[y] - path.probabilities).T @ X
        scores = X @ W.T
        slacks = (losses + scores - scores[np.arange(40), y][:, None]).max(axis=1)
        dual = float(np.vdot(losses, path.probabilities)) - np.vdot(W, W) / 4
        assert objective == pytest.approx(slacks.sum() + np.vdot(W, W) / 4)
        assert gap == pytest.approx(objective - dual, abs=1e-9)
    assert gap < 1e-4 * objective
    path.probabilities[0, 0] = 0.0  # too small to divide by
    with pytest.raises(np.linalg.LinAlgError):
        path.step()


def fail(self):
    raise np.linalg.LinAlgError


@pytest.mark.parametrize("step", [lambda self: None, fail])
def test_steps_that_lead_nowhere_and_rounding_errors_hand_over(step, monkeypatch):
    monkeypatch.setattr(CentralPath, "step", step)
    X, y = rows()
    result = DualInteriorPoint().solve(Multiclass(), X, y, 10.0)
    assert result.status.name == "CONVERGED" and (step is fail or result.iterations > PATIENCE)
    assert "handed over; SmoothedLBFGS, " in result.solver


@pytest.mark.parametrize("more", [0, 1])
def test_a_plan_begins_with_it_on_few_rows(more):
    X = np.random.default_rng(0).normal(size=(FEW_ROWS + more, 3))
    y = np.arange(len(X)) % 3
    plan = choose_solver(Multiclass(), X, y).solver.set_params(max_iter=2)
    assert ("DualInteriorPoint" in plan.solve(Multiclass(), X, y, 1.0).solver) == (not more)


def test_probabilities_sum_to_1_after_many_steps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [1, 2, 3, 40]  # badly conditioned
    y = (X @ [1, 1, 1, 0.1] > 0).astype(int) + (X[:, 0] > 1)
    result = DualInteriorPoint(rtol=1e-8).solve(Multiclass(), X, y, C=100.0)
    assert result.iterations > 20 and result.verify(Multiclass(), X, y).matches


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (Products(np.eye(3), np.zeros(40, int)), "shape .40, 40.; got shape .3, 3."),
        (Products(np.eye(40), np.zeros(3, int)), "the places of 40 true outputs"),
        (Products(None, np.zeros(40, int), np.eye(3)), "shape .40, 3.; got shape .3, 3."),
        (np.eye(40), "products must return a Products"),
    ],
)
def test_what_it_cannot_use_is_named(found, message):
    wrong = with_answer(Multiclass, "products", lambda right: found)
    with pytest.raises(ProblemError, match=message):
        DualInteriorPoint().solve(wrong(), *rows())


def test_products_of_other_examples_are_noticed():
    def smaller(found):
        return found._replace(features=found.features / 10)

    less, (X, y) = with_answer(Multiclass, "products", smaller), rows()
    result = DualInteriorPoint().solve(less(), X, y, 10.0)
    assert result.verify(Multiclass(), X, y).matches
    assert not result.solver.startswith("DualInteriorPoint, 10 passes, converged")
