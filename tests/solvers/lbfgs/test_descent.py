"""Descent on a smoothed objective: bounds, a dual that never falls, and when it stalls."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from toy_problems import Multilabel, all_differences, full_objective, full_optimum, multilabel_data

from structsvm.planes.example_planes import StackedPlanes
from structsvm.solvers.lbfgs.descent import FALL, Descent
from structsvm.solvers.lbfgs.scaling import rough
from structsvm.solvers.restricted import RestrictedObjective
from structsvm.solvers.shared.stall import PROGRESS, Stall
from structsvm.solvers.thresholds import PATIENCE

X, Y = multilabel_data()
C, SIZE = 5.0, 9
W = 0.1 * np.random.default_rng(0).normal(size=SIZE)


class Enumerated(RestrictedObjective):
    """The smoothed objective over the planes of all outputs, that of a true one being implied."""

    def __init__(self, knows_primal=True):
        problem = Multilabel()
        problem.initialize(X, Y)
        rows, offsets, examples = all_differences(problem, X, Y)
        planes, wrong = StackedPlanes(len(X), SIZE), offsets > 0
        planes.add(rows[wrong], offsets[wrong], examples[wrong], [None] * wrong.sum())
        super().__init__(planes, C / len(X))
        self.knows_primal = knows_primal

    def at(self, w, mu):
        point = super().at(w, mu)
        return point if self.knows_primal else point._replace(primal=math.inf)


def descent_on(objective, mu, scaling):
    return Descent(objective, objective.at(W, mu), mu, scaling)


# ---------------------------------------------------------------------- a point


@pytest.mark.parametrize("mu", [0.1, 1.0])
def test_the_bounds_of_a_point_enclose_the_objective(mu):
    objective, h = Enumerated(), 1e-5
    point = objective.at(W, mu)
    assert point.primal == pytest.approx(full_objective(Multilabel(), X, Y, W, C))
    assert point.expected < point.primal < point.value
    assert objective.at(W, 1e-6).value == pytest.approx(point.primal, rel=1e-4)
    numeric = [
        (objective.at(W + h * e, mu).value - objective.at(W - h * e, mu).value) / (2 * h)
        for e in np.eye(SIZE)
    ]
    np.testing.assert_allclose(point.gradient, numeric, atol=1e-6)


# ---------------------------------------------------------------------- steps


def test_steps_lower_the_value_to_its_minimum():
    mu = 0.3
    descent, values = descent_on(Enumerated(), mu, rough(np.ones(SIZE))), []
    for _ in range(60):
        values.append(descent.point.value)
        descent.step()
    assert np.all(np.diff(values) <= 1e-9 * values[0])
    lowest = minimize(lambda w: descent.objective.at(w, mu).value, W).fun
    assert descent.point.value == pytest.approx(lowest, rel=1e-6)


def test_the_dual_never_falls_and_is_that_of_the_mixed_distribution():
    objective = Enumerated()
    descent, duals = descent_on(objective, 0.3, rough(np.ones(SIZE))), []
    for _ in range(30):
        duals.append(descent.dual)
        descent.step()
    optimum, _ = full_optimum(Multilabel(), X, Y, C)
    assert np.all(np.diff(duals) >= 0) and 0 < duals[0] < descent.dual <= optimum
    again = RestrictedObjective(objective.planes, C / len(X)).dual
    assert descent.dual == pytest.approx(again.value)
    p = np.bincount(objective.planes.groups, objective.planes.alpha)
    assert np.all(p <= 1 + 1e-12)


def test_the_first_step_tried_would_reach_the_dual_value_by_its_slope(monkeypatch):
    descent, tried = descent_on(Enumerated(), 1.0, rough(np.full(SIZE, 1e-3))), []
    here, gap, evaluate = descent.point, descent.gap, descent.objective.at
    monkeypatch.setattr(descent.objective, "at", lambda w, mu: tried.append(w) or evaluate(w, mu))
    descent.step()
    first = tried[0] - here.w
    assert here.gradient @ first == pytest.approx(-gap)
    descent.step()
    assert descent.gap < gap


@pytest.mark.parametrize("knows_primal", [True, False])
def test_lowering_mu_closes_the_gap(knows_primal):
    optimum, _ = full_optimum(Multilabel(), X, Y, C)
    tolerance = 1e-3 * optimum
    descent = descent_on(Enumerated(knows_primal), 1.0, rough(np.ones(SIZE)))
    smoothings = 0
    for _ in range(300):
        if descent.gap <= tolerance:
            break
        descent.step()
        if descent.needs_lower_mu(tolerance):
            mu = descent.mu
            descent.lower_mu(tolerance)
            assert FALL * mu <= descent.mu < mu
            smoothings += 1
        if not knows_primal:
            descent.calibrate(full_objective(Multilabel(), X, Y, descent.point.w, C))
    assert smoothings > 1 and descent.gap <= tolerance
    assert descent.dual <= optimum <= descent.dual + 2 * tolerance


def test_without_the_primal_it_is_estimated_between_the_bounds():
    descent = descent_on(Enumerated(knows_primal=False), 0.5, rough(np.ones(SIZE)))
    point, primal = descent.point, full_objective(Multilabel(), X, Y, W, C)
    assert descent.estimate == pytest.approx((point.expected + point.value) / 2)
    descent.calibrate(primal)
    assert descent.estimate == pytest.approx(primal)
    assert descent.gap == pytest.approx(primal - descent.dual)
    assert descent_on(Enumerated(), 0.5, rough(np.ones(SIZE))).estimate == pytest.approx(primal)


# ---------------------------------------------------------------------- stalls


@pytest.mark.parametrize(("fraction", "stalled"), [(PROGRESS, False), (0.5, False), (1.0, True)])
def test_a_gap_that_hardly_falls_for_some_rounds_has_stalled(fraction, stalled):
    stall = Stall()
    stall.note(1.0)
    assert not stall.is_reached, "one round is no stall"
    for _ in range(PATIENCE):
        stall.note(fraction * 0.999 if fraction < 1 else 0.95)
    assert stall.is_reached == stalled


def test_the_lowest_gap_so_far_counts():
    stall = Stall()
    for gap in [1.0, 0.5] + [5.0] * (PATIENCE - 1):
        stall.note(gap)
    assert not stall.is_reached, "it was halved in the last rounds"
    stall.note(5.0)
    assert stall.is_reached
