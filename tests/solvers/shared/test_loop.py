"""The loop around all passes: limits, callbacks, Ctrl-C, handovers and what is shown."""

import logging
import re
import time
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
    SmoothedCuttingPlane,
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

#: Those that evaluate the objective at the point of some passes only.
BY_DESCENT = [SmoothedLBFGS, SmoothedCuttingPlane, BlockCoordinateFrankWolfe]
SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane, CCCP, *BY_DESCENT]
X, Y = multilabel_data()
C = 500.0


def quick(solver):
    """A solver that converges within a second, here where C is large."""
    return solver(rtol={BlockCoordinateFrankWolfe: 0.5, SmoothedLBFGS: 0.1}.get(solver, 1e-3))


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


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("max_iter", [1, 2, 4])
def test_max_iter(solver, max_iter):
    result, problem, data = train(solver(rtol=1e-9, max_iter=max_iter))
    assert result.status is Status.MAX_ITER
    assert result.iterations == max_iter
    require_usable(result, problem, data)


@pytest.mark.parametrize("solver", SOLVERS)
def test_time_limit(solver):
    class Slow(Multilabel):
        def separation_oracle(self, x, y, w):
            time.sleep(0.005)
            return super().separation_oracle(x, y, w)

    class SlowTopics(LatentTopics):
        def separation_oracle(self, x, y, w):
            time.sleep(0.005)
            return super().separation_oracle(x, y, w)

    slow = SlowTopics() if solver is CCCP else Slow()
    started = time.perf_counter()
    result, problem, data = train(solver(rtol=0, time_limit=0.1), slow)
    elapsed = time.perf_counter() - started
    assert result.status is Status.TIME_LIMIT
    assert 0.1 <= result.history[-1].seconds <= elapsed < 5
    assert result.iterations >= 1
    require_usable(result, problem, data)


@pytest.mark.parametrize("solver", SOLVERS)
def test_callback_sees_every_pass_and_stops_the_run(solver):
    seen = []

    def callback(iteration, w):
        seen.append(iteration)
        assert w.shape == (9,) or solver is CCCP
        return len(seen) == 3

    result, problem, data = train(solver(rtol=1e-9), callback=callback)
    assert result.status is Status.STOPPED
    assert tuple(seen) == result.history
    assert [step.iteration for step in seen] == [1, 2, 3]
    require_usable(result, problem, data)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_callback_that_returns_nothing_changes_nothing(solver):
    watched, _, _ = train(quick(solver), callback=lambda iteration, w: None)
    alone, _, _ = train(quick(solver))
    np.testing.assert_array_equal(watched.w, alone.w)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_callback_cannot_change_w(solver):
    def change_w(iteration, w):
        w[:] = np.nan

    changed, _, _ = train(quick(solver), callback=change_w)
    alone, _, _ = train(quick(solver))
    np.testing.assert_array_equal(changed.w, alone.w)


def test_errors_of_a_callback_propagate():
    def callback(iteration, w):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        train(OneSlackCuttingPlane(), callback=callback)


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


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("method", "call"),
    # Calls of the first four passes and more; the brute-force oracle calls the loss most.
    [("separation_oracle", k) for k in (7, 12, 20)]
    + [("joint_feature_difference", k) for k in (13, 20, 30)]
    + [("loss", k) for k in (70, 120, 200)],
)
def test_interrupt_inside_the_problem(solver, method, call):
    kind = LatentTopics if solver is CCCP else Multilabel
    result, _, data = train(solver(rtol=1e-9), interrupted_at(kind, method, call))
    assert result.status is Status.INTERRUPTED
    require_usable(result, kind(), data)


@pytest.mark.parametrize("call", [13, 20, 60, 120, 200, 250])
def test_interrupt_while_labels_are_imputed(call):
    result, _, data = train(CCCP(rtol=1e-6), interrupted_at(LatentTopics, "impute", call))
    assert result.status is Status.INTERRUPTED
    require_usable(result, LatentTopics(), data)


@pytest.mark.parametrize("solver", SOLVERS)
def test_interrupt_inside_the_callback(solver):
    def callback(iteration, w):
        if iteration.iteration == 4:
            raise KeyboardInterrupt

    result, problem, data = train(solver(rtol=1e-9), callback=callback)
    assert result.status is Status.INTERRUPTED
    assert result.iterations == 4
    best = min(step.primal for step in result.history)
    assert result.primal == best or solver in (CCCP, *BY_DESCENT)
    require_usable(result, problem, data)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("method", ["separation_oracle", "joint_feature"])
def test_interrupt_before_anything_is_known_propagates(solver, method):
    kind = LatentTopics if solver is CCCP else Multilabel
    with pytest.raises(KeyboardInterrupt):
        train(quick(solver), interrupted_at(kind, method, 1))


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


@pytest.mark.parametrize("solver", SOLVERS)
def test_progress_goes_to_stderr_if_verbose(solver, capsys):
    train(quick(solver), verbose=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert solver.__name__ in shown.err
    assert "pass" in shown.err


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
        line = capsys.readouterr().err.rstrip("\n").split("\r")[-1]
        assert len(line) <= columns and re.match(rf"pass {n}, 00:0\d, ", line), line
        assert bound.format(last.gap) in line, (line, last)
        scored = _shown(last._replace(validation_score=0.5), solver.name)
        assert scored.endswith(f", score 0.5000, {solver.name}")
        assert line.endswith(f", {solver.name}") or columns == 40


@pytest.mark.parametrize("solver", SOLVERS)
def test_silent_by_default_and_logged(solver, capsys, caplog):
    with caplog.at_level(logging.DEBUG, logger="structsvm"):
        result, _, _ = train(quick(solver))
    assert capsys.readouterr() == ("", "")
    passes = [r for r in caplog.records if r.levelno == logging.DEBUG and "primal=" in r.message]
    assert len(passes) == result.iterations
    summaries = [r for r in caplog.records if r.levelno == logging.INFO]
    assert [r.message for r in summaries] == [str(result)]


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
    parts = Passes([1], Start()), Passes([], Start()), Passes([2, 3, 4], None, converged=[3])
    assert run(*parts) == (Status.CONVERGED, [1, 2, 3])


def test_the_last_algorithm_has_nothing_to_hand_over_to():
    assert run(Passes([1], Start())) == (Status.STALLED, [1])


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
