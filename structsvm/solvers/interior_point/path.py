r"""The central path of the dual, for problems in which all examples have the same outputs.

Multiplied by n / C, the dual variables of an example are probabilities p of its k outputs. K is C/n
times the inner products of the examples' features. Let p, t and l be matrices of shape (n, k) with
the probabilities, the indicators of the true outputs, and the losses. Divided by C/n, the dual
problem is to minimise

.. math::

    \tfrac12 \langle p - t, K (p - t) \rangle - \langle l, p \rangle, \qquad p \ge 0, \; p 1 = 1

The probabilities p determine the loss-augmented scores, up to a constant for each example. The
matrix of the scores is S = l - K (p - t), with the probabilities p, the losses l, the inner
products K and the true outputs t. At the optimum, the probabilities p and the scores S have
multipliers :math:`\lambda` with :math:`z = \lambda - S \ge 0` and p z = 0. On the central path,
every probability p times its dual slack z is equal to the same number mu, and mu tends to 0.
Mehrotra's predictor-corrector method (SIAM Journal on Optimization 2, 1992) follows the path to the
end in ten to thirty steps on any data. The probabilities are a dual solution after every step,
because they stay positive and sum to 1.
"""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.solvers.interior_point.newton import ConjugateGradients
from structsvm.solvers.interior_point.products import InnerProducts

#: A step covers this fraction of the way to the nearest bound.
INSIDE = 0.99
#: Order of the matrix of a preconditioner: the number of main directions times the outputs.
ORDER = 80


class CentralPath:
    """A point that moves along the central path, step by step.

    Parameters
    ----------
    products : InnerProducts
        K.
    losses : ndarray of shape (n, k)
        The losses l, which may include scores of a prior.
    true : ndarray of shape (n,), int
        The index of the column of each example's true output.

    Attributes
    ----------
    probabilities : ndarray of shape (n, k)
    mu : float
        The mean product of a probability and its dual slack.
    """

    def __init__(self, products: InnerProducts, losses: Vector, true: Indices) -> None:
        k = losses.shape[1]
        self._products, self._losses = products, losses
        self._directions = products.main_directions(ORDER // k)
        self._truth: Vector = np.eye(k)[true]
        self.probabilities = self._start()
        self._scores = scores = self._scores_at(self.probabilities)
        # Start feasible, so that steps need not remove a residual first.
        below = scores.max(axis=1, keepdims=True) - scores
        # If all scores are equal, start as far inside as a step stays.
        least = max(float(below.mean()), (1 - INSIDE) * float(np.abs(losses).mean()))
        self._multipliers, self._z = scores.max(axis=1) + least, below + least

    @property
    def mu(self) -> float:
        return float(np.vdot(self.probabilities, self._z) / self._z.size)

    @property
    def errors(self) -> Vector:
        """The probabilities of the wrong outputs, with 0 for the true outputs, shape (n, k)."""
        return self.probabilities * (1 - self._truth)

    def gap(self) -> tuple[float, float]:
        """Return the objective at the current w and the duality gap, each divided by C/n."""
        p, scores = self.probabilities, self._scores
        square = float(np.vdot(self._from_truth(p), self._losses - scores))
        own = (scores * self._truth).sum(axis=1)
        slacks = float((scores.max(axis=1) - own).sum())
        return 0.5 * square + slacks, square + slacks - float(np.vdot(self._losses, p))

    @np.errstate(divide="ignore", over="ignore", invalid="ignore")
    def step(self) -> None:
        """Take a step, or raise a LinAlgError if rounding errors prevent the step."""
        p, z = self.probabilities, self._z
        barrier = z / p  # infinite where p is too small to divide by
        system = ConjugateGradients(self._products, barrier, self._directions)
        move, of_multipliers = system.solve(self._scores - self._multipliers[:, None])
        move_of_z = -z - barrier * move
        length = _longest((p, move), (z, move_of_z))
        reached = float(np.vdot(p + length * move, z + length * move_of_z)) / z.size
        # Mehrotra's center and second-order term.
        target = self.mu * (reached / self.mu) ** 3
        correction = (target - move * move_of_z) / p
        more, more_of_multipliers = system.solve(correction)
        move, move_of_z = move + more, move_of_z + correction - barrier * more
        length = INSIDE * _longest((p, move), (z, move_of_z))
        p = p + length * move
        self.probabilities = p / p.sum(axis=1, keepdims=True)  # rounding errors would add up
        self._z = z + length * move_of_z
        self._multipliers = self._multipliers + length * (of_multipliers + more_of_multipliers)
        self._scores = self._scores_at(self.probabilities)

    def _start(self) -> Vector:
        """Return starting probabilities, in which all wrong outputs have the same probability."""
        others: Vector = (1 - self._truth) / (self._truth.shape[1] - 1) - self._truth
        rise = float(np.vdot(self._losses, others))
        curvature = float(np.vdot(others, self._products.times(others)))
        length = min(rise / curvature, INSIDE) if curvature > 0 < rise else INSIDE
        return self._truth + length * others

    def _scores_at(self, probabilities: Vector) -> Vector:
        return self._losses - self._products.times(self._from_truth(probabilities))

    def _from_truth(self, probabilities: Vector) -> Vector:
        """Subtract the indicators of true outputs from the probabilities, without cancellation."""
        others = probabilities * (1 - self._truth)
        return np.asarray(others - self._truth * others.sum(axis=1, keepdims=True))


def _longest(*moves: tuple[Vector, Vector]) -> float:
    """Return the longest step, at most 1, after which no entry of any point is negative."""
    return 1 / max(1.0, *(-float((move / point).min()) for point, move in moves))
