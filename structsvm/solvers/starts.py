"""The first steps of a descent on the smoothed objective, on one mini-batch after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator

import numpy as np

from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.minibatches import Part
from structsvm.planes.plane import no_cuts
from structsvm.problem import Vector
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

Steps = Generator[Pass, None, Vector]


def stochastic(state: SmoothedState, parts: list[Part], mu: float) -> Steps:
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


def ascend(state: SmoothedState, parts: list[Part], tolerance: Callable[[State], float]) -> Steps:
    """Ascend the dual while that is fast, perhaps to the tolerance.

    Returns the w of its end, or where the gap is large still w = 0.
    """
    examples, rng = state.examples, np.random.default_rng(0)
    ascent = DualAscent(parts, state.C, examples.n, examples.size, state.recent.dtype)
    unknown, due, slow = no_cuts(state.labels, examples.size), FIRST, False
    ascent.epoch(rng)  # its gap is not compared with others: proximal terms may follow
    gaps = [math.inf]
    w = ascent.w
    yield Pass(state.record(w, unknown), w, False)
    while not slow:
        gap = max(ascent.epoch(rng) - ascent.value, tolerance(state))
        gaps.append(min(gaps[-1], gap))
        slow = _is_slow(gaps, tolerance(state))
        if not slow and gap > NEAR * tolerance(state) and len(state.history) < due:
            w = ascent.w
            yield Pass(state.record(w, unknown), w, False)
            continue
        ascent.recompute()
        w = ascent.w
        state.keep_ascent(ascent)
        iteration = state.record(w, one_slack_cut(examples, state.labels, w))
        require_agreement(state, "score_outputs")
        yield Pass(iteration, w, iteration.gap <= tolerance(state))
        due = math.ceil((1 + VISIBLE) * len(state.history))
    return w if iteration.gap <= USEFUL * iteration.best_primal else np.zeros_like(w)


def _is_slow(gaps: list[float], tolerance: float) -> bool:
    """Whether the last epochs have not lowered the gap fast, and the tolerance is not near."""
    if len(gaps) <= PATIENCE or gaps[-1] < FAST * gaps[-1 - PATIENCE]:
        return False
    fall = math.log(gaps[-1 - PATIENCE] / gaps[-1]) / PATIENCE
    return math.log(gaps[-1] / tolerance) >= FEW * fall
