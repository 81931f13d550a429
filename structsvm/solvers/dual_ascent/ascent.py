r"""Ascent of the dual, one mini-batch at a time, for problems with few outputs.

The dual variables of an example, n / C times, are probabilities p of its outputs, the true one
included. They determine w, the sum of C/n times the expected joint-feature differences, and there
the gradient of the dual is C/n times the loss-augmented scores s. A step moves the probabilities of
a mini-batch towards the projections of p + s / L, by exact line search; L is learnt from the
lengths that the search finds. It changes the entries of w that the mini-batch uses, and no others.
After the first epoch the entries that dominate the steps have proximal terms
(:mod:`structsvm.solvers.dual_ascent.proximal`): then w is not the sum, v, but follows from it.

This is the stochastic dual coordinate ascent of Shalev-Shwartz & Zhang (JMLR 14, 2013) by
mini-batches, on the dual of Crammer & Singer (JMLR 2, 2001) where the outputs are classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import example_cap, regulariser, unbounded_dual_value
from structsvm.oracle.minibatches import FeatureColumns, SubBlock
from structsvm.solvers.dual_ascent.proximal import DOMINATING, Proximal, dominating

#: The longest step of which L learns.
LONGEST = 2.0
#: Least L at the start, relative to the largest score: the projections are single outputs then.
SHARPEST = 1e-30
#: How often in an epoch the center of proximal terms moves.
RECENTERED = 8


class Ascent:
    """Probabilities of the outputs of all examples, which start at outputs without loss.

    Attributes
    ----------
    linear : float
        C/n times the sum of the expected losses: the linear term of the dual value.

    Parameters
    ----------
    minibatches : sequence of SubBlock
        Of all the examples.
    C : float
    n, size : int
        Number of examples, and length of w.
    dtype : dtype
        Of w.
    """

    def __init__(
        self, minibatches: Sequence[SubBlock], C: float, n: int, size: int, dtype: Any
    ) -> None:
        self._C, self._n, self._size, self._cap = C, n, size, example_cap(C, n)
        blocks = [minibatch.block for minibatch in minibatches]
        self._losses = [block.score_outputs(np.zeros(block.size)) for block in blocks]
        self.bind(minibatches)
        k = self._losses[0].shape[1]
        self._probabilities = [np.eye(k)[losses.argmin(axis=1)] for losses in self._losses]
        self._v, self.linear = np.zeros(self._shape, dtype), 0.0
        self._proximal: Proximal | None = None
        self._epochs = 0
        self._curvature: float | None = None
        self.recompute()  # 0, but where other outputs than the true one have no loss

    def bind(self, minibatches: Sequence[SubBlock]) -> None:
        """Ascend on these mini-batches: a copy of a run has its own."""
        self._blocks = [minibatch.block for minibatch in minibatches]
        k = self._losses[0].shape[1]
        self._columns: list[Any] = [minibatch.columns for minibatch in minibatches]
        self._shape: tuple[int, ...] = (self._size,)
        features = [some for columns in self._columns if (some := columns.features(k)) is not None]
        if len(features) == len(minibatches):
            self._columns = [FeatureColumns(some, k) for some in features]
            self._shape = (self._size // k, k)

    def __getstate__(self) -> dict[str, Any]:
        """All but what :meth:`bind` sets."""
        bound = ("_blocks", "_columns", "_shape")
        return {name: value for name, value in vars(self).items() if name not in bound}

    @property
    def v(self) -> Vector:
        """C/n times the sum of expected joint-feature differences, up to the rounding of steps."""
        return self._in_order(self._v)

    @property
    def w(self) -> Vector:
        """v, but where entries have proximal terms."""
        return self._in_order(self._whole_w())

    @property
    def value(self) -> float:
        """The dual value."""
        return unbounded_dual_value(self._v.reshape(-1), self.linear)

    def epoch(self, rng: np.random.Generator) -> float:
        """A step for each mini-batch, in random order.

        Returns the objective as if the slacks at the end were those seen on the way.
        """
        slacks, lengths = 0.0, []
        energies = None if self._epochs else np.zeros(self._shape)  # of moves in the first epoch
        every = max(1, len(self._blocks) // RECENTERED)
        for count, j in enumerate(rng.permutation(len(self._blocks)).tolist(), start=1):
            slack, length = self._step(j, energies)
            slacks += slack
            lengths.append(length)
            if self._proximal is not None and count % every == 0:
                self._proximal.recenter(self._v.reshape(-1))
        self._curvature = (self._curvature or 1.0) / (float(np.mean(lengths)) or 1.0)
        if energies is not None:
            self._add_proximal_terms(energies)
        self._epochs += 1
        return self._cap * slacks + regulariser(self._whole_w().reshape(-1))

    def _step(self, j: int, energies: Any) -> tuple[float, float]:
        """A step of a mini-batch: the sum of its slacks, and the length that the line search found.

        A length of 1 ends at the projections; more would leave the probabilities. The squares of
        the moves are added to ``energies``, unless that is None.
        """
        block, columns, p = self._blocks[j], self._columns[j], self._probabilities[j]
        v, proximal = columns.of(self._v), self._proximal
        scores = block.score_outputs(v if proximal is None else proximal.w(v, j))
        slacks = float(scores.max(axis=1).clip(min=0.0).sum())
        if self._curvature is None:
            self._curvature = self._first_curvature(j, scores)
        direction = on_simplex(p + scores / self._curvature) - p
        move = self._cap * block.expected_difference(direction)
        if energies is not None:
            columns.add(energies, np.square(move, dtype=np.float64))
        move_of_w = move if proximal is None else proximal.shrunk(move, j)
        rise, curvature = float(np.vdot(scores, direction)), float(move @ move_of_w) / self._cap
        if rise <= 0:
            return slacks, 1.0
        length = min(rise / curvature, LONGEST) if curvature else 1.0
        p += min(length, 1.0) * direction
        self.linear += self._cap * min(length, 1.0) * float(np.vdot(self._losses[j], direction))
        columns.set(self._v, v + min(length, 1.0) * move)
        return slacks, length

    def _add_proximal_terms(self, energies: Vector) -> None:
        """Give proximal terms to the entries that dominated the steps so far."""
        places, ratio = dominating(energies.reshape(-1))
        if not len(places):
            return
        whole = np.arange(self._v.size).reshape(self._shape)
        batches = [columns.of(whole) for columns in self._columns]
        self._proximal = Proximal(places, ratio / DOMINATING - 1, batches, whole.size)
        self._proximal.recenter(self._v.reshape(-1))
        assert self._curvature is not None
        self._curvature *= (1 + DOMINATING) / (1 + ratio)

    def _whole_w(self) -> Any:
        """w as it is stored here."""
        if self._proximal is None:
            return self._v
        return self._proximal.w(self._v.reshape(-1)).reshape(self._shape)

    @staticmethod
    def _in_order(stored: Any) -> Vector:
        return stored.T.astype(np.float64).reshape(-1)

    def _first_curvature(self, j: int, scores: Vector) -> float:
        """The curvature of the dual on the way to the outputs of largest score."""
        direction = np.eye(scores.shape[1])[scores.argmax(axis=1)] - self._probabilities[j]
        move = self._cap * self._blocks[j].expected_difference(direction)
        length = max(float(np.vdot(direction, direction)), 1.0)
        least = SHARPEST * float(np.abs(scores).max())
        return max(float(move @ move) / (self._cap * length), least) or 1.0

    def recompute(self) -> None:
        """Recompute v and the linear term from the probabilities: steps add rounding."""
        v, self.linear = np.zeros(self._shape), 0.0
        for j, (block, p) in enumerate(zip(self._blocks, self._probabilities, strict=True)):
            p /= p.sum(axis=1, keepdims=True)
            self._columns[j].add(v, self._cap * block.expected_difference(p))
            self.linear += self._cap * float(np.vdot(self._losses[j], p))
        self._v = v.astype(self._v.dtype)

    def all_probabilities(self) -> Vector:
        """The probabilities of all examples, in their order."""
        p = np.empty((self._n, self._losses[0].shape[1]))
        for block, own in zip(self._blocks, self._probabilities, strict=True):
            p[block.index] = own
        return p


def on_simplex(points: Vector) -> Vector:
    """The nearest points with entries >= 0 and a sum of 1, for every row."""
    points = points - points.max(axis=1, keepdims=True)  # large ones would round the 1 away
    falling = -np.sort(-points, axis=1)
    excess = np.cumsum(falling, axis=1) - 1.0
    count = np.count_nonzero(falling * np.arange(1, points.shape[1] + 1) > excess, axis=1)
    shift = excess[np.arange(len(points)), count - 1] / count
    return np.maximum(points - shift[:, None], 0.0)
