"""The first steps of a descent on the smoothed objective, on one mini-batch after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.minibatches import Part
from structsvm.planes.plane import no_cuts
from structsvm.solvers.consistency import require_agreement
from structsvm.solvers.dual_ascent import DualAscent
from structsvm.solvers.loop import Pass
from structsvm.solvers.smoothed_state import SmoothedState
from structsvm.solvers.state import State
from structsvm.solvers.stochastic import AdaGrad

#: Epochs of stochastic steps.
EPOCHS = 5
#: The first of these, relative to the mean loss by the mean sum of the joint feature's entries.
RATE = 2.0
#: In an ascent P is evaluated at this pass,
FIRST = 4
#: then after this fraction of the passes so far,
VISIBLE = 0.25
#: or where the gap seems to be at most this multiple of the tolerance.
NEAR = 1.5
#: An ascent ends where this many epochs...
PATIENCE = 5
#: ...have not lowered the gap to this fraction,
FAST = 0.7
#: and where at that rate more than this many more would be needed.
FEW = 50
#: Its w is a good start for a descent where the gap is at most this fraction of P.
USEFUL = 0.3

Steps = Generator["Pass | None", None, None]


def stochastic(state: SmoothedState, parts: list[Part], mu: float) -> Generator[Pass, None, Vector]:
    """Take some epochs of AdaGrad from w = 0; return the w that they lead to."""
    terms, start = state.rounding.terms, np.zeros(state.examples.size)
    size = float(terms.rows.sum())
    if not size:
        return start
    steps = AdaGrad(parts, start, state.C, state.examples.n, RATE * terms.loss / size)
    rng = np.random.default_rng(0)
    for _ in range(EPOCHS):
        steps.epoch(mu, rng)
        yield Pass(state.record(steps.w, no_cuts(state.labels, len(start))), steps.w, False)
    return steps.w


class Ascending:
    """An ascent of the dual while that is fast, perhaps to the tolerance.

    Attributes
    ----------
    ascent : DualAscent or None
        None before the first epoch.
    rng : numpy.random.Generator
        Draws the order of the mini-batches.
    gaps : list of float
        The lowest gap up to each epoch, estimated.
    due : int
        The pass at which P is evaluated next.
    slow : bool
        Whether it has ended.
    """

    def __init__(self) -> None:
        self.ascent: DualAscent | None = None
        self.rng = np.random.default_rng(0)
        self.gaps, self.due, self.slow = [math.inf], FIRST, False

    def passes(
        self, state: SmoothedState, parts: list[Part], tolerance: Callable[[State], float]
    ) -> Steps:
        """Make an epoch in each pass."""
        examples = state.examples
        if self.ascent is None:
            self.ascent = DualAscent(parts, state.C, examples.n, examples.size, state.recent.dtype)
            self.ascent.epoch(self.rng)  # not compared with others: proximal terms may follow
            yield self._unknown(state)
        else:
            self.ascent.bind(parts)
        while not self.slow:
            yield None
            gap = max(self.ascent.epoch(self.rng) - self.ascent.value, tolerance(state))
            self.gaps.append(min(self.gaps[-1], gap))
            self.slow = _is_slow(self.gaps, tolerance(state))
            if not self.slow and gap > NEAR * tolerance(state) and len(state.history) < self.due:
                yield self._unknown(state)
                continue
            yield self._evaluated(state, tolerance)
            self.due = math.ceil((1 + VISIBLE) * len(state.history))

    def start(self, state: SmoothedState) -> Vector:
        """The w of the end, or where the gap is large still w = 0: the start of a descent."""
        assert self.ascent is not None
        last, w = state.history[-1], self.ascent.w
        return w if last.gap <= USEFUL * last.best_primal else np.zeros_like(w)

    def _unknown(self, state: SmoothedState) -> Pass:
        """A pass that does not evaluate P."""
        assert self.ascent is not None
        w = self.ascent.w
        return Pass(state.record(w, no_cuts(state.labels, state.examples.size)), w, False)

    def _evaluated(self, state: SmoothedState, tolerance: Callable[[State], float]) -> Pass:
        assert self.ascent is not None
        self.ascent.recompute()
        w = self.ascent.w
        state.keep_ascent(self.ascent)
        iteration = state.record(w, one_slack_cut(state.examples, state.labels, w))
        require_agreement(state, "score_outputs")
        return Pass(iteration, w, iteration.gap <= tolerance(state))


def _is_slow(gaps: list[float], tolerance: float) -> bool:
    """Whether the last epochs have not lowered the gap fast, and the tolerance is not near."""
    if len(gaps) <= PATIENCE or gaps[-1] < FAST * gaps[-1 - PATIENCE]:
        return False
    if not tolerance:
        return True
    fall = math.log(gaps[-1 - PATIENCE] / gaps[-1]) / PATIENCE
    return math.log(gaps[-1] / tolerance) >= FEW * fall
