"""The loop around all passes: limits and Ctrl-C across solvers, failures, what is shown."""

import re

import numpy as np
import pytest
from toy_problems import LatentTopics, Multilabel, full_objective, multilabel_data, topics_data

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Plan,
    SmoothedLBFGS,
    Status,
)
from structsvm.planes.working_set import WorkingSet
from structsvm.solvers.shared.loop import _shown
from structsvm.solvers.shared.stall import Stall

X, Y = multilabel_data()
C = 500.0


def train(solver, **arguments):
    """A run long enough to be stopped midway; returns the result, problem and data."""
    problem, data = Multilabel(), (X, Y)
    if isinstance(solver, CCCP):
        problem, data = LatentTopics(), (topics_data(), None)
    return solver.solve(problem, *data, C, **arguments), problem, data


def require_usable(result, problem, data):
    """The w and the numbers belong together, whenever the run stopped."""
    labels = data[1] if result.labels is None else result.labels
    objective = full_objective(problem, data[0], labels, result.w, C)
    assert result.primal == pytest.approx(objective, rel=1e-9)
    assert result.gap >= -1e-9 * result.primal
    assert result.verify(problem, *data).matches


@pytest.mark.parametrize("n", [1, 2, 3])
def test_limits_and_ctrl_c_are_those_of_all_solvers_together(n, monkeypatch):
    def press(iteration, w):
        if iteration.iteration == n:
            raise KeyboardInterrupt

    monkeypatch.setattr(Stall, "is_reached", True)  # the first solver makes one pass
    for status, limit, callback in (
        (Status.MAX_ITER, n, None),
        (Status.INTERRUPTED, 100, press),
    ):
        plan = Plan(
            [BlockCoordinateFrankWolfe(), OneSlackCuttingPlane()], rtol=1e-9, max_iter=limit
        )
        result, problem, data = train(plan, callback=callback)
        assert result.status is status and result.iterations == n
        assert len(result.solver.split("; ")) == min(n, 2)
        require_usable(result, problem, data)


# ---------------------------------------------------------------------- failures of the QP


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane, CCCP, SmoothedLBFGS])
@pytest.mark.parametrize("change", [{"primal": 9.0}, {"violation": 1e-3}, {"primal": np.nan}])
def test_a_rough_quadratic_program_ends_the_run(solver, change, monkeypatch):
    solve = WorkingSet.solve

    def rough(planes):
        solution = solve(planes)
        if len(planes) >= 3:
            planes.solution = solution._replace(**change)
        return planes.solution

    monkeypatch.setattr(WorkingSet, "solve", rough)
    # SmoothedLBFGS has a working set only after its descent has stalled.
    monkeypatch.setattr(Stall, "is_reached", solver is SmoothedLBFGS)
    result, problem, data = train(solver(rtol=1e-9))
    assert result.status is Status.QP_FAILED
    require_usable(result, problem, data)


# ---------------------------------------------------------------------- what is shown


@pytest.mark.parametrize("columns", [40, 80])
def test_a_terminal_shows_passes_time_gap_and_the_solver_at_work(columns, capsys, monkeypatch):
    monkeypatch.setattr("tqdm.std._screen_shape_wrapper", lambda: lambda file: (columns, 24))
    monkeypatch.setattr(Stall, "is_reached", True)  # the first pass ends a stage
    stages = [BlockCoordinateFrankWolfe(), OneSlackCuttingPlane()]
    known = "primal 1500, gap not ", "gap {:.2e}, "
    for n, solver, bound in zip((1, 3), stages, known, strict=True):
        held_out = EarlyStopping(X[:4], Y[:4], 100)
        plan = Plan(stages, rtol=1e-9, max_iter=n)
        last = train(plan, verbose=True, early_stopping=held_out)[0].history[-1]
        line = capsys.readouterr().err.rstrip().split("\r")[-1]
        assert len(line) <= columns and re.match(rf"pass {n}, 00:0\d, ", line), line
        assert bound.format(last.gap) in line, (line, last)
        scored = _shown(last._replace(validation_score=0.5), solver.name)
        assert scored.endswith(f", score 0.5000, {solver.name}")
        assert line.endswith(f", {solver.name}") or columns == 40
