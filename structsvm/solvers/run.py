"""A run: its state, and the phase that makes its passes."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol

from structsvm.solvers.early_stopping import Watch
from structsvm.solvers.loop import Pass, Passes
from structsvm.solvers.state import State
from structsvm.status import Status

#: The passes of one phase; they return why no further one can be made, or the phase that follows.
PhasePasses = Generator["Pass | None", None, "Status | Phase"]


class Phase(Protocol):
    """A part of a run.

    Where it yields None, its attributes and the state are all that it needs to go on: a copy of
    both makes the same passes from there.
    """

    def passes(self, state: Any) -> PhasePasses:
        """Make one pass after another."""


class Run:
    """All that a run knows between two passes.

    Attributes
    ----------
    state : State
    phase : Phase
        The current one.
    watch : Watch or None
        The scores of held-out examples, with early stopping.
    """

    def __init__(self, state: State, phase: Phase, watch: Watch | None = None) -> None:
        self.state, self.phase, self.watch = state, phase, watch

    def passes(self) -> Passes:
        """Make the passes of the current phase and of all that follow it."""
        passes = self._passes()
        return passes if self.watch is None else self.watch.passes(self.state, passes)

    def _passes(self) -> Passes:
        while True:
            following = yield from self.phase.passes(self.state)
            if isinstance(following, Status):
                return following
            self.phase = following
