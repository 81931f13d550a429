"""The loop around all passes: limits, callbacks, Ctrl-C, handovers and what is shown."""

import re
from types import SimpleNamespace

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
from structsvm.oracle.examples import Examples
from structsvm.planes.plane import no_cuts
from structsvm.planes.working_set import WorkingSet
from structsvm.results.status import Iteration
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.bounds import DualSolution, Step
from structsvm.solvers.shared.loop import Limits, Pass, _shown
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.run import Run
from structsvm.solvers.shared.stall import Stall

X, Y = multilabel_data()
C = 500.0


def train(solver, problem=None, **arguments):
    """A run long enough to be stopped midway; returns the result, problem and data."""
    if isinstance(solver, CCCP):
        data, problem = (topics_data(), None), problem or LatentTopics()
    else:
        data, problem = (X, Y), problem or Multilabel()
    return solver.solve(problem, *data, C, **arguments), problem, data


def require_usable(result, problem, data):
    """The w and the numbers belong together, whenever the run stopped."""
    labels = data[1] if result.labels is None else result.labels
    objective = full_objective(problem, data[0], labels, result.w, C)
    assert result.primal == pytest.approx(objective, rel=1e-9)
    assert result.gap >= -1e-9 * result.primal
    assert result.verify(problem, *data).matches


# ---------------------------------------------------------------------- Ctrl-C


def interrupted_at(base_class, method, call):
    """The problem, with Ctrl-C pressed during one call of one method."""

    class Interrupted(base_class):
        calls = 0

    def interrupt(self, *arguments):
        self.calls += 1
        if self.calls == call:
            raise KeyboardInterrupt
        return getattr(base_class, method)(self, *arguments)

    setattr(Interrupted, method, interrupt)
    return Interrupted()


@pytest.mark.parametrize(
    ("solver", "method", "call"),
    # Calls of the first four passes and more; the brute-force oracle calls the loss most.
    [(OneSlackCuttingPlane, "separation_oracle", k) for k in (7, 12, 20)]
    + [(SmoothedLBFGS, "joint_feature_difference", k) for k in (13, 30)]
    + [(NSlackCuttingPlane, "loss", k) for k in (70, 200)]
    + [(CCCP, "impute", k) for k in (13, 60, 200)],
)
def test_interrupt_inside_the_problem(solver, method, call):
    kind = LatentTopics if solver is CCCP else Multilabel
    result, _, data = train(solver(rtol=1e-9), interrupted_at(kind, method, call))
    assert result.status is Status.INTERRUPTED
    require_usable(result, kind(), data)


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


# ---------------------------------------------------------------------- several phases


class Passes:
    """A phase of passes of these numbers, each of a second.

    Then comes an error, a status or another phase.
    """

    def __init__(self, numbers, end, converged=(), error=None):
        self.numbers, self.end, self.converged, self.error = list(numbers), end, converged, error

    def step(self, bounds):
        if self.numbers:
            self.number = self.numbers.pop(0)
            zero = DualSolution(0.0, 0.0, np.empty(0), (), np.empty(0), 0.0, Y)
            return Step(np.ones(9), no_cuts(Y, 9, np.ones(1)), zero, Y)
        if self.error is not None:
            raise self.error
        return self.end

    def conclude(self, bounds):
        return bounds, self.number in self.converged


class Parts:
    """A solver for each part of a run: its algorithm makes the passes given."""

    needs_labels = False

    requires = Requirements()

    def __init__(self, passes):
        self._passes = passes

    def begin(self, program, start):
        return self._passes

    def pays(self, program, start):
        return True


class Timed(Run):
    """A run whose passes take a second each."""

    @property
    def seconds(self):
        return 1.0 + len(self.bounds.history)


def run(*parts, **limits):
    """The status of a run of these parts, and the numbers of its passes."""
    seen = []
    limits = Limits(**{"max_iter": 100, **limits}, callback=lambda step, w: seen.append(step[0]))
    problem = Multilabel()
    problem.initialize(X, Y)
    program = Program(Examples(problem, X, Y), 1.0)
    return limits.run(Timed(program, [Parts(passes) for passes in parts], 0, Start())), seen


@pytest.mark.parametrize(
    ("limits", "status", "last"),
    [
        ({}, Status.STALLED, 6),
        ({"max_iter": 5}, Status.MAX_ITER, 5),
        ({"max_iter": 3}, Status.MAX_ITER, 3),
        ({"max_iter": 2}, Status.MAX_ITER, 2),
        ({"time_limit": 3.5}, Status.TIME_LIMIT, 4),
        ({"max_iter": 6, "time_limit": 5.0}, Status.TIME_LIMIT, 5),
    ],
)
def test_limits_count_the_passes_of_all_algorithms(limits, status, last):
    first, second = Passes([1, 2, 3], Start()), Passes([4, 5, 6], Status.STALLED)
    assert run(first, second, **limits) == (status, list(range(1, last + 1)))


def test_several_algorithms_may_follow_and_most_need_make_no_pass():
    assert run(Passes([1], Start())) == (Status.STALLED, [1])
    parts = Passes([1], Start()), Passes([], Start()), Passes([2, 3, 4], None, converged=[3])
    assert run(*parts) == (Status.CONVERGED, [1, 2, 3])


def test_ctrl_c_in_a_later_algorithm_keeps_the_passes_before_it():
    second = Passes([], None, error=KeyboardInterrupt())
    assert run(Passes([1, 2], Start()), second) == (Status.INTERRUPTED, [1, 2])
    with pytest.raises(KeyboardInterrupt):
        run(Passes([], None, error=KeyboardInterrupt()))


def test_a_callback_that_stops_comes_before_the_other_limits():
    iteration = Iteration(1, 2.0, 2.0, 1.0, 1.0, 0, 0, 1.0)
    steps = SimpleNamespace(name="name", step=lambda: Pass(iteration, np.ones(9), True))
    limits = Limits(max_iter=1, callback=lambda step, w: True)
    assert limits.run(steps) is Status.STOPPED
