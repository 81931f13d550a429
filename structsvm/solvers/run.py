"""A run: its state, and the phase that makes its passes."""

from __future__ import annotations

from typing import Any, Protocol

from structsvm.data.arrays import Vector
from structsvm.solvers.early_stopping import Watch
from structsvm.solvers.loop import Passes
from structsvm.solvers.state import State


class Phase(Protocol):
    """A part of a run.

    Where it yields None, its attributes and the state are all that it needs to go on: a copy of
    both makes the same passes from there.
    """

    def passes(self, state: Any) -> Passes:
        """Make one pass after another; return why there is no further one, or the next phase."""


class Run:
    """All that a run knows between two passes.

    Attributes
    ----------
    state : State
    phase : Phase
        The current one.
    watch : Watch or None
        The scores of held-out examples, with early stopping.
    earlier : State or None
        The state in single precision, where the run has gone on in double.
    """

    earlier: State | None = None

    def __init__(self, state: State, phase: Phase, watch: Watch | None = None) -> None:
        self.state, self.phase, self.watch = state, phase, watch

    @property
    def watched(self) -> Vector | None:
        """The point of the highest score of held-out examples; None without one."""
        return None if self.watch is None else self.watch.w

    def passes(self) -> Passes:
        """Make the passes of the current phase."""
        passes = self.phase.passes(self.state)
        return passes if self.watch is None else self.watch.passes(self.state, passes)

    def __getstate__(self) -> dict[str, Any]:
        """The attributes without the earlier state, which no later pass needs."""
        return {name: value for name, value in vars(self).items() if name != "earlier"}

    def go_on(self, state: State, phase: Phase) -> None:
        """Continue with another state."""
        self.earlier, self.state, self.phase = self.state, state, phase

    def follow(self, phase: Phase) -> Passes:
        """Make the passes of the phase that follows."""
        self.phase = phase
        return self.passes()
