"""A run: its record, and the algorithm at work, one after another."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import term_sizes
from structsvm.oracle.examples import Examples
from structsvm.oracle.support import support_outputs
from structsvm.results.status import Status
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.consistency import require_bounds
from structsvm.solvers.shared.early_stopping import Watch
from structsvm.solvers.shared.loop import Passes
from structsvm.solvers.shared.outcome import judged
from structsvm.solvers.shared.record import Record
from structsvm.task.contract_checks import ContractChecks

logger = logging.getLogger(__name__)

#: Attributes of a run that are not saved with it.
APART = ("earlier", "checks")


class Stage(NamedTuple):
    """An algorithm of a run that has ended.

    Attributes
    ----------
    solver : str
        The name of its class.
    passes : int
    end : str
        How it ended, in words.
    """

    solver: str
    passes: int
    end: str

    def __str__(self) -> str:
        return f"{self.solver}, {self.passes} pass{'' if self.passes == 1 else 'es'}, {self.end}"


class Run:
    """All that a run knows between two passes.

    Parameters
    ----------
    record : Record
    stages : sequence of Solver
        The solvers that follow each other.
    at : int
        The place among them of the one that begins.
    start : Start
    watch : Watch, optional
        The scores of held-out examples, with early stopping.

    Attributes
    ----------
    algorithm : Algorithm
        The current one.
    ended : list of Stage
        The algorithms before it that made a pass.
    checks : ContractChecks
        Of some examples, against what they were before the passes.
    earlier : Record or None
        The record in single precision, where the run has gone on in double.
    """

    earlier: Record | None = None

    def __init__(
        self,
        record: Record,
        stages: Sequence[Any],
        at: int,
        start: Start,
        watch: Watch | None = None,
    ) -> None:
        self.record, self.stages, self.at, self.watch = record, tuple(stages), at, watch
        self.ended: list[Stage] = []
        self._began, self.checks = 0, ContractChecks(record.examples)
        self.algorithm: Algorithm = self.solver.begin(record, self._measured(start))

    def __getstate__(self) -> dict[str, Any]:
        """The attributes without the earlier record and the checks, which no later pass needs."""
        return {name: value for name, value in vars(self).items() if name not in APART}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.checks = ContractChecks(self.record.examples)

    @property
    def solver(self) -> Any:
        """The solver whose algorithm is at work."""
        return self.stages[self.at]

    def name(self) -> str:
        """The name of the solver whose algorithm is at work."""
        return type(self.solver).__name__

    @property
    def watched(self) -> Vector | None:
        """The point of the highest score of held-out examples; None without one."""
        return None if self.watch is None else self.watch.w

    def close(self, status: Status) -> Status | None:
        """Complete the certificate after the passes; the status, or None to go on in double.

        Rounding of single precision may be the reason why a run could not go on.
        """
        if self.record.best is None and self.earlier is not None:
            self.record = self.earlier  # no pass was completed in double precision
            return status
        if status is not Status.CONVERGED:
            self.algorithm.complete()
        self.checks.after(self.record.found.w)
        require_bounds(self.record)
        status = judged(self.record, status)
        stuck = status in (Status.NUMERICAL, Status.STALLED, Status.QP_FAILED)
        if stuck and self.record.examples.may_double:
            logger.info("single precision is not enough: double precision follows")
            self._go_on_in_double()
            return None
        if self.watched is not None and status is not Status.CONVERGED:
            self.algorithm.return_to(self.watched)
        return status

    def passes(self) -> Passes:
        """Make the passes of the algorithm at work, at points relative to 0."""
        passes = self.algorithm.passes()
        if self.watch is not None:
            passes = self.watch.passes(self.record, passes)
        examples = self.record.examples
        return passes if examples.prior is None else _shifted(passes, examples)

    def follow(self, end: Status | Start | Algorithm) -> Passes | Status:
        """Return the passes that follow the end of others, or the status of the run."""
        if isinstance(end, Algorithm):
            self.algorithm = end
            return self.passes()
        start = self._handover(end)
        if start is None:
            return Status.STALLED if isinstance(end, Start) else end
        self._end("handed over" if isinstance(end, Start) else "stalled")
        self.at = next_stage(self.stages, self.at + 1, self.record, start)
        self.algorithm = self.solver.begin(self.record, self._measured(start))
        return self.passes()

    def _handover(self, end: Status | Start) -> Start | None:
        """The start of the next stage; None where the run ends."""
        if self.at + 1 == len(self.stages):
            return None
        if isinstance(end, Start):
            return end
        # After a stall in single precision the same algorithm is first tried in double.
        stuck = end is Status.STALLED and not self.record.examples.may_double
        return self.algorithm.handover() if stuck else None

    def _end(self, end: str) -> None:
        made = len(self.record.history)
        if made > self._began:
            self.ended.append(Stage(self.name(), made - self._began, end))
        self._began = made

    def _go_on_in_double(self) -> None:
        """Continue with inputs in double precision, from the best point and its dual solution."""
        self.earlier = earlier = self.record
        earlier.examples.use_double()
        self.record = Record(earlier.examples, earlier.C, earlier.rtol, earlier.atol, earlier.sizes)
        self.record.continue_from(earlier)
        self.checks = ContractChecks(self.record.examples)
        start = Start(earlier.found.w, earlier.found.dual.support)
        self.algorithm = self.solver.again(self.record, self._measured(start))

    def described(self, status: Status) -> str:
        """The algorithms that made passes, and how each ended, in words."""
        self._end(status.name.lower().replace("_", " "))
        return "; ".join(map(str, self.ended))

    def _measured(self, start: Start) -> Start:
        """The start, once the rounding errors of its planes are known.

        It has no planes if they cannot be rebuilt.
        """
        record = self.record
        known = self.solver.needs_labels and start.support
        outputs = support_outputs(record.labels, start.support) if known else None
        if outputs is None:
            return start._replace(support=())
        record.rounding.observe(term_sizes(record.examples, record.labels, outputs))
        return start


def next_stage(stages: Sequence[Any], at: int, record: Record, start: Start) -> int:
    """The place of the first solver that can be used and pays, from this place on, or the last."""
    last, task = len(stages) - 1, record.examples.first
    for k in range(at, last):
        possible = stages[k].requires.error_of_task(task, "") is None
        if possible and stages[k].pays(record, start):
            return k
    return last


def _shifted(passes: Passes, examples: Examples) -> Passes:
    """The same passes, which were made at points relative to the prior, at points relative to 0."""
    while True:
        try:
            made = next(passes)
        except StopIteration as end:
            return end.value
        yield made and made._replace(point=examples.first.at(made.point))
