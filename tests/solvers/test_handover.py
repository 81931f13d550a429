"""The handover to one slack: planes that nearly make the dual solution reached, after any stall."""

from itertools import count

import numpy as np
import pytest
from toy_problems import Assignment, Multilabel, assignment_data, multilabel_data

from structsvm import (
    BlockCoordinateFrankWolfe,
    OneSlackCuttingPlane,
    Plan,
    SmoothedCuttingPlane,
    Status,
)
from structsvm.problems import Multiclass
from structsvm.solvers import frank_wolfe
from structsvm.solvers.cached_planes import algorithm as cached_planes
from structsvm.solvers.cutting_plane import CuttingPlanes
from structsvm.solvers.one_slack import OneSlack


def blobs(n=120, d=6, k=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d)), y


class Impatient:
    """A stall that is reached after the first note."""

    is_reached = False

    def __init__(self, patience=0):
        pass

    def note(self, gap):
        self.is_reached = True


@pytest.mark.parametrize(
    ("module", "solver", "saved"),
    [
        (cached_planes, SmoothedCuttingPlane(), {Multiclass: 1, Assignment: -1}),
        (frank_wolfe, BlockCoordinateFrankWolfe(), {Multiclass: 1, Assignment: -1}),
    ],
)
@pytest.mark.parametrize(
    ("problem", "data", "C"), [(Multiclass, blobs(), 300.0), (Assignment, assignment_data(), 10.0)]
)
def test_cutting_planes_continue_with_planes(module, solver, saved, problem, data, C, monkeypatch):
    monkeypatch.setattr(module, "Stall", Impatient)
    seen = []

    def step(self, bounds, original=CuttingPlanes.step):
        if self.cuts is None:  # its first
            seen.append((self.planes.solution.dual, bounds.dual.value))
        return original(self, bounds)

    monkeypatch.setattr(CuttingPlanes, "step", step)
    result = solver.solve(problem(), *data, C)
    ((seeded, reached),) = seen
    assert 0.9 * reached <= seeded <= result.primal
    assert result.status is Status.CONVERGED and result.verify(problem(), *data).matches
    monkeypatch.setattr(OneSlack, "_add_start", lambda *arguments: None)
    unaided = solver.solve(problem(), *data, C)
    # Of six examples one slack alone needs about as many passes.
    assert result.iterations <= unaided.iterations - saved[problem]


class Stalling(OneSlackCuttingPlane):
    """Ends after some passes as if it had stalled."""

    def begin(self, program, start):
        algorithm = super().begin(program, start)
        step = algorithm.step
        few = (step if n < 20 else lambda bounds: Status.STALLED for n in count())
        algorithm.step = lambda bounds: next(few)(bounds)
        return algorithm


def test_cutting_planes_hand_over_the_planes_of_their_dual_solution(monkeypatch):
    seen = []

    def step(self, bounds, original=CuttingPlanes.step):
        if self.cuts is None:  # its first
            seen.append((self.planes.solution.dual, bounds.latest.value))
        return original(self, bounds)

    monkeypatch.setattr(CuttingPlanes, "step", step)
    X, y = blobs()
    result = Plan([Stalling(), OneSlackCuttingPlane()]).solve(Multiclass(), X, y, 300.0)
    (before, _), (seeded, reached) = seen
    assert before == 0 < reached
    assert seeded == pytest.approx(reached)
    assert result.status is Status.CONVERGED and result.verify(Multiclass(), X, y).matches


@pytest.mark.parametrize("C", [1e4, 1e7])
def test_frank_wolfe_reaches_the_tolerance_where_its_steps_stall(C):
    X, Y = multilabel_data()
    result = BlockCoordinateFrankWolfe().solve(Multilabel(), X, Y, C)
    other = OneSlackCuttingPlane().solve(Multilabel(), X, Y, C)
    assert result.status is Status.CONVERGED and result.verify(Multilabel(), X, Y).matches
    assert result.dual <= other.primal and other.dual <= result.primal
