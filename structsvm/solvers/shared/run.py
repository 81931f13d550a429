"""The run of a solver and of the solvers that continue after a stall."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

from structsvm.data.names import brief
from structsvm.oracle.cuts import term_sizes
from structsvm.oracle.support import support_outputs
from structsvm.results.status import Iteration, Status
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.bounds import Bounds, Step
from structsvm.solvers.shared.consistency import require_bounds
from structsvm.solvers.shared.early_stopping import Watch
from structsvm.solvers.shared.loop import Pass
from structsvm.solvers.shared.outcome import judged
from structsvm.solvers.shared.program import Program
from structsvm.task.contract_checks import ContractChecks

logger = logging.getLogger(__name__)


class Run:
    """The state of a run between two passes.

    Parameters
    ----------
    program : Program
    stages : sequence of Solver
        The solvers that follow each other.
    at : int
        The index of the solver that runs first.
    start : Start
    watch : Watch, optional
        The scores of held-out examples, with early stopping.

    Attributes
    ----------
    bounds : Bounds
    algorithm : Algorithm
        The current algorithm.
    ended : list of str
        A description of each earlier solver that made passes: its name, the number of its passes,
        and why the solver ended.
    checks : ContractChecks
        Checks whether the problem's methods have changed examples.
    earlier : tuple of Program and Bounds, or None
        If the run has changed to double precision, the program and bounds from before the change.
    """

    earlier: tuple[Program, Bounds] | None = None

    def __init__(
        self,
        program: Program,
        stages: Sequence[Any],
        at: int,
        start: Start,
        watch: Watch | None = None,
    ) -> None:
        self.program, self.stages, self.at, self.watch = program, tuple(stages), at, watch
        self.bounds, self.started = program.first_bounds(), time.perf_counter()
        self.ended: list[str] = []
        self._began, self.checks = 0, ContractChecks(program.examples)
        self.algorithm: Algorithm = self.solver.begin(program, self._usable(start))

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes to save; ``started`` is saved as -1 times the elapsed seconds."""
        kept = {**vars(self), "started": -self.seconds}
        return {name: kept[name] for name in kept.keys() - {"earlier", "checks"}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "started": time.perf_counter() + state["started"]})
        self.checks = ContractChecks(self.program.examples)

    @property
    def seconds(self) -> float:
        """Wall time since the start, in seconds."""
        return time.perf_counter() - self.started

    @property
    def solver(self) -> Any:
        """The solver of the current algorithm."""
        return self.stages[self.at]

    @property
    def name(self) -> str:
        """The name of the current algorithm's solver."""
        return type(self.solver).__name__

    # ------------------------------------------------------------------ steps

    def step(self) -> Pass | Status | None:
        """Make a pass, and return a report in which w includes the prior.

        Returns None if no pass was made because the next algorithm has taken over.
        """
        if self.watch is not None and self.watch.is_over:
            return Status.EARLY_STOPPED
        step = self.algorithm.step(self.bounds)
        if not isinstance(step, Step):
            if not isinstance(step, (Start, Status)) or self.bounds.w is None:
                self._require_step(step)
            return self._follow(step)
        program, examples = self.program, self.program.examples
        bounds = program.measured(step.before or self.bounds, step.cuts)
        bounds, primal = program.considered(bounds, step)
        iteration = Iteration(
            iteration=len(bounds.history) + 1,
            primal=primal,
            best_primal=bounds.primal,
            dual=bounds.dual.value,
            gap=bounds.gap,
            n_planes=len(step.planes),
            oracle_calls=examples.tally.calls,
            seconds=self.seconds,
        )
        if self.watch is not None and program.is_feasible(step.point, step.dual):
            iteration = self.watch.scored(iteration, step.point)
        self.bounds = bounds._replace(history=(*bounds.history, iteration))
        self.bounds, is_last = self.algorithm.conclude(self.bounds)
        return Pass(iteration, examples.task.at(step.point), is_last)

    def _follow(self, end: Status | Start) -> Status | None:
        """Begin the next algorithm and return None, or end the run and return the status."""
        is_due = isinstance(end, Start)
        # After a stall in single precision, the same algorithm is first tried in double precision.
        stuck = end is Status.STALLED and not self.program.examples.may_double
        if self.at + 1 == len(self.stages) or not (is_due or stuck):
            return Status.STALLED if isinstance(end, Start) else end
        start = end if isinstance(end, Start) else self.algorithm.handover(self.bounds)
        self._end("handed over" if is_due else "stalled")
        self.at = next_stage(self.stages, self.at + 1, self.program, start)
        self.algorithm = self.solver.begin(self.program, self._usable(start))
        return None

    def _require_step(self, step: Any) -> None:
        """Raise a TypeError if an algorithm returned no Step, or ended before its first step."""
        if isinstance(step, (Start, Status)) and (self.bounds.history or self.earlier):
            return
        raise TypeError(
            f"{type(self.algorithm).__name__}.step must return a Step, or after the first pass a "
            f"Start or a Status; it returned {brief(step)}"
        )

    def _usable(self, start: Start) -> Start:
        """Return the start, and record the rounding errors of its planes.

        Planes that cannot be rebuilt are left out.
        """
        program, labels = self.program, self.program.examples.Y
        known = self.solver.needs_labels and start.support
        outputs = support_outputs(labels, start.support) if known else None
        if outputs is None:
            return start._replace(support=())
        program.rounding.observe(term_sizes(program.examples, labels, outputs))
        return start

    # ------------------------------------------------------------------ the end

    def close(self, status: Status) -> Status | None:
        """Complete and check the certificate.

        Return the status of the run. If rounding errors in single precision may have ended the run,
        continue the run in double precision, and return None.
        """
        if self.bounds.w is None and self.earlier is not None:
            # No pass was completed in double precision, and the earlier passes were checked.
            self.program, self.bounds = self.earlier
            return status
        if status is not Status.CONVERGED:
            self.bounds = self.algorithm.complete(self.bounds)
        self.checks.after(self.bounds.w)
        require_bounds(self.program, self.bounds)
        status = judged(self.program, self.bounds, self.algorithm.qp_rounding, status)
        stuck = status in (Status.NUMERICAL, Status.STALLED, Status.QP_FAILED)
        if stuck and self.program.examples.may_double:
            logger.info("single precision is not enough: double precision follows")
            self._go_on_in_double()
            return None
        highest = None if self.watch is None else self.watch.w
        if highest is not None and status is not Status.CONVERGED:
            self.bounds = self.algorithm.return_to(highest, self.bounds)
        return status

    def _go_on_in_double(self) -> None:
        """Continue with inputs in double precision, from the best point and the dual solution."""
        program, bounds = self.earlier = self.program, self.bounds
        examples = program.examples
        examples.use_double()
        self.program = Program(examples, program.C, program.rtol, program.atol, program.sizes)
        self.bounds = self.program.first_bounds()._replace(history=bounds.history)
        self.checks = ContractChecks(examples)
        start = Start(bounds.w, bounds.dual.support, labels=bounds.labels)
        begun = self.solver.begin(self.program, self._usable(start))
        self.algorithm = self.algorithm.continued_by(begun)

    def described(self, status: Status) -> str:
        """Return a description of the algorithms that made passes, and why each algorithm ended."""
        self._end(status.name.lower().replace("_", " "))
        return "; ".join(self.ended)

    def _end(self, end: str) -> None:
        passes = len(self.bounds.history) - self._began
        if passes:
            self.ended.append(f"{self.name}, {passes} pass{'' if passes == 1 else 'es'}, {end}")
        self._began += passes


def next_stage(stages: Sequence[Any], at: int, program: Program, start: Start) -> int:
    """Return the first index >= `at` of a solver that suits task and data, or the last index."""
    last, task = len(stages) - 1, program.examples.task
    for k in range(at, last):
        possible = stages[k].requires.error_of_task(task, "") is None
        if possible and stages[k].pays(program, start):
            return k
    return last
