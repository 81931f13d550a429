"""The handover to one slack: planes that nearly make the dual solution reached, after any stall."""

import pytest
from cases.solvers import blobs
from toy_problems import Assignment, assignment_data

from structsvm import (
    BlockCoordinateFrankWolfe,
    SmoothedCuttingPlane,
    Status,
)
from structsvm.problems import Multiclass
from structsvm.solvers import frank_wolfe
from structsvm.solvers.cached_planes import algorithm as cached_planes
from structsvm.solvers.cutting_plane import CuttingPlanes
from structsvm.solvers.one_slack import OneSlack


class Impatient:
    """A stall that is reached after the first note."""

    is_reached = False

    def __init__(self, patience=0):
        pass

    def note(self, gap):
        self.is_reached = True


@pytest.mark.parametrize(
    ("module", "solver"),
    [(cached_planes, SmoothedCuttingPlane()), (frank_wolfe, BlockCoordinateFrankWolfe())],
)
@pytest.mark.parametrize(
    ("problem", "data", "C", "saved"),
    # Of six examples one slack alone needs about as many passes.
    [(Multiclass, blobs(n=120, d=6, k=4), 300.0, 1), (Assignment, assignment_data(), 10.0, -1)],
)
def test_cutting_planes_continue_with_planes(module, solver, problem, data, C, saved, monkeypatch):
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
    assert result.iterations <= unaided.iterations - saved
