"""The loop that makes the steps of a run, with limits, callbacks, progress bar and Ctrl-C."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from tqdm.auto import tqdm

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_integer, require_number
from structsvm.results.callbacks import Callbacks, any_stops, require_callbacks
from structsvm.results.status import Iteration, Status

logger = logging.getLogger(__name__)

#: The format of the progress bar. A narrow terminal cuts it off, so the shortest parts come first.
SHOWN = "pass {n_fmt}, {elapsed}, {desc}"


class Pass(NamedTuple):
    """The report of a pass, which the loop reads.

    Attributes
    ----------
    iteration : Iteration
        The objective, the gap, the counts and the times of the pass.
    point : ndarray
        The point that was queried. The callback receives a copy.
    converged : bool
        Whether the run has converged.
    """

    iteration: Iteration
    point: Vector
    converged: bool


class Steps(Protocol):
    """The methods of a run that the loop uses."""

    @property
    def name(self) -> str:
        """The name of the current solver."""

    def step(self) -> Pass | Status | None:
        """Make a pass and return its report.

        Return a Status at the end of the run, and None if the next solver takes over.
        """


@contextmanager
def brief_interrupt() -> Iterator[None]:
    """Shorten the traceback of a KeyboardInterrupt that is raised in the context."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("no pass was completed") from None


class Limits(NamedTuple):
    """The limits of a run, and the callbacks that are called after its passes.

    Attributes
    ----------
    max_iter : int
        Largest number of passes, >= 1.
    time_limit : float or None
        Limit of the wall time in seconds, > 0, tested after every pass.
    callback : callable, list of callables or None
        One or more functions, called as ``callback(iteration, point)`` after every pass. A true
        return value stops the run.
    verbose : bool
        Whether to show a progress bar.
    """

    max_iter: int
    time_limit: float | None = None
    callback: Callbacks = None
    verbose: bool | int = False

    def check(self) -> None:
        """Raise a ValueError or TypeError if a parameter is out of its range."""
        require_integer("max_iter", self.max_iter, least=1)
        if self.time_limit is not None:
            require_number("time_limit", self.time_limit, "> 0")
        if self.callback is not None:
            require_callbacks(self.callback)
        if not isinstance(self.verbose, bool):
            require_integer("verbose, if not True or False,", self.verbose, 0)

    def run(self, steps: Steps, save: Callable[[], None] | None = None, made: int = 0) -> Status:
        """Make steps until the run converges, a limit is reached, or no step is possible.

        After the first pass Ctrl-C also ends the run. ``save`` is called before every step.
        ``made`` is the number of earlier passes.
        """
        seen = made > 0
        with tqdm(disable=not self.verbose, bar_format=SHOWN, initial=made) as progress:
            try:
                while True:
                    if save is not None:
                        save()
                    report = steps.step()
                    if report is None:
                        continue
                    if isinstance(report, Status):
                        return report
                    seen = True
                    if self.verbose:
                        shown = _shown(report.iteration, steps.name)
                        progress.set_description_str(shown, refresh=False)
                        progress.update()
                    if logger.isEnabledFor(logging.DEBUG):
                        fields = {"solver": steps.name, **report.iteration._asdict()}
                        logger.debug("%s", report.iteration, extra={"structsvm": fields})
                    status = self._status_after(report)
                    if status is not None:
                        return status
            except KeyboardInterrupt:
                if not seen:
                    raise
                return Status.INTERRUPTED

    def _status_after(self, report: Pass) -> Status | None:
        iteration, point, converged = report
        if self.callback is not None and any_stops(self.callback, iteration, point):
            return Status.STOPPED
        if converged:
            return Status.CONVERGED
        if self.time_limit is not None and iteration.seconds >= self.time_limit:
            return Status.TIME_LIMIT
        return Status.MAX_ITER if iteration.iteration >= self.max_iter else None


def _shown(iteration: Iteration, solver: str) -> str:
    """Return the text of the progress bar: the gap or bound, the score and the solver."""
    if iteration.dual_is_known and math.isfinite(iteration.gap):
        shown = f"gap {iteration.gap:.2e}"
    elif math.isfinite(iteration.best_primal):
        shown = f"primal {iteration.best_primal:.6g}, gap not known yet"
    else:
        shown = f"dual {iteration.dual:.6g}, primal not known yet"
    score = iteration.validation_score
    return f"{shown}, {solver}" if score is None else f"{shown}, score {score:.4f}, {solver}"
