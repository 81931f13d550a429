"""Stochastic steps on the smoothed objective, one mini-batch at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.objective import example_cap
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.minibatches import SubBlock
from structsvm.oracle.soft_outputs import soft_outputs
from structsvm.planes.plane import no_cuts
from structsvm.planes.recent import RecentPlanes
from structsvm.solvers.lbfgs.soft_objective import START, SoftObjective
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS, SmoothSolver
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import Record
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.thresholds import FEWEST_BATCHES, MANY

#: Epochs of stochastic steps.
EPOCHS = 5
#: The first step, relative to the mean loss by the mean sum of the joint feature's entries.
RATE = 2.0


class AdaGrad:
    """Steps of AdaGrad (Duchi, Hazan & Singer, JMLR 12, 2011) on the entries of w of a mini-batch.

    Parameters
    ----------
    minibatches : sequence of SubBlock
    w : ndarray of shape (size,)
        The start; it is changed in place.
    C : float
    n : int
        Number of examples in all mini-batches.
    rate : float
        The length of the first step in each entry.
    """

    def __init__(
        self, minibatches: Sequence[SubBlock], w: Vector, C: float, n: int, rate: float
    ) -> None:
        self.w, self._minibatches, self._cap, self._rate = w, minibatches, example_cap(C, n), rate
        self._squares = np.zeros_like(w)
        used = np.zeros_like(w)
        for minibatch in minibatches:
            minibatch.columns.add(used, np.ones(minibatch.block.size))
        # The regulariser of an entry is divided among the mini-batches that use it.
        self._share = 1 / np.maximum(used, 1)

    def epoch(self, mu: float, rng: np.random.Generator) -> None:
        """Take a step for each mini-batch, in random order."""
        for j in rng.permutation(len(self._minibatches)).tolist():
            self._step(self._minibatches[j], mu)

    def _step(self, minibatch: SubBlock, mu: float) -> None:
        columns = minibatch.columns
        w = columns.of(self.w)
        soft = soft_outputs(minibatch.block, w, mu)
        gradient = columns.of(self._share) * w - self._cap * soft.joint_feature_difference
        squares = columns.of(self._squares) + gradient**2
        columns.set(self._squares, squares)
        # An entry without any gradient so far stays where it is.
        step = gradient / np.sqrt(squares, out=np.ones_like(squares), where=squares > 0)
        columns.set(self.w, w - self._rate * step)


class StochasticSteps(Algorithm):
    """Some epochs of AdaGrad from w = 0; then another algorithm is due.

    Parameters
    ----------
    record : Record
    start : Start
        The first pass evaluates its point.
    """

    def __init__(self, record: Record, start: Start) -> None:
        super().__init__(record)
        self._point = np.zeros(record.examples.size) if start.point is None else start.point
        self._reached: Vector | None = None

    def passes(self) -> Passes:
        record = self.record
        if record.best is None:
            yield self.first_pass(self._point)
        yield None
        examples, terms, w = record.examples, record.rounding.terms, np.zeros(record.examples.size)
        record.mu = mu = self._mu(w)
        size = float(terms.rows.sum())
        if not size:
            return Start(w)
        # Further from 0 the regulariser alone is above the objective at 0.
        rate = min(RATE * terms.loss / size, math.sqrt(2 * record.C * terms.loss))
        steps = AdaGrad(examples.minibatches(), w, record.C, examples.n, rate)
        rng = np.random.default_rng(0)
        for _ in range(EPOCHS):
            steps.epoch(mu, rng)
            cuts = no_cuts(record.labels, examples.size)
            self._reached = steps.w
            yield Pass(record.add_pass(steps.w, cuts), steps.w, False)
        return Start(steps.w)

    def complete(self) -> None:
        if self._reached is not None:
            record, w = self.record, self._reached
            record.consider(w, one_slack_cut(record.examples, record.labels, w))

    def _mu(self, w: Vector) -> float:
        """The temperature to begin with."""
        record, examples = self.record, self.record.examples
        if examples.surrogate.temperature:
            return examples.surrogate.temperature
        planes = RecentPlanes(record.C, examples.size, 1)
        objective = SoftObjective(record, planes)
        loss = record.loss or record.found.primal / record.C
        return objective.first_mu(objective.at(w, START * loss), loss)


def minibatches_pay(record: Record, start: Start) -> bool:
    """Whether steps on mini-batches pay: from w = 0, where a step on all examples is expensive."""
    examples = record.examples
    large = examples.n * examples.size >= MANY and start.point is None
    return large and len(examples.minibatches()) >= FEWEST_BATCHES


@documented
class SmoothedAdaGrad(SmoothSolver):
    """Stochastic steps on the smoothed objective: the first passes of :class:`SmoothedLBFGS`.

    Five epochs of AdaGrad, one mini-batch after the other, for any ``n_jobs``. They have no dual
    solution, hence no gap: :class:`SmoothedLBFGS` goes on from their w, or from 0 if that is
    better.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    max_iter : int, default=10000
        Largest number of passes over the data, of all solvers together, >= 1.

    References
    ----------
    Duchi, Hazan & Singer, Adaptive subgradient methods for online learning and stochastic
    optimization, JMLR 12, 2011.
    """

    requires = Requirements(
        problem=("soft_oracle",), task=("minibatches",), exact=True, unconstrained=True
    )
    then = SmoothedLBFGS

    def begin(self, record: Record, start: Start) -> StochasticSteps:
        return StochasticSteps(record, start)

    def pays(self, record: Record, start: Start) -> bool:
        return minibatches_pay(record, start)
