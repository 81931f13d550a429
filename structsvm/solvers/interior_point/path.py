r"""The central path of the dual, for outputs that are the same for all examples.

The dual variables of an example, n / C times, are probabilities p of its k outputs. With K, C/n
times the inner products of the examples' features, t the indicators of the true outputs and l the
losses, each of shape (n, k), the dual divided by C/n is to minimise

.. math::

    \tfrac12 \langle p - t, K (p - t) \rangle - \langle l, p \rangle, \qquad p \ge 0, \; p 1 = 1

With S = l - K (p - t), the scores up to a number for each example, the optimum has :math:`\lambda -
S = z \ge 0` and p z = 0. The steps are those of Mehrotra's predictor-corrector method (SIAM Journal
on Optimization 2, 1992), which end after ten to thirty, whatever the data: p z = mu for a mu that
tends to 0. All probabilities stay positive and sum to 1, so they are a dual solution at any time.
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
    """A point of the path, which steps along it.

    Parameters
    ----------
    products : InnerProducts
        K.
    losses : ndarray of shape (n, k)
        l, which may also include scores at a prior.
    true : ndarray of shape (n,), int
        The places of the true outputs.

    Attributes
    ----------
    probabilities : ndarray of shape (n, k)
    mu : float
        The mean of p z.
    """

    def __init__(self, products: InnerProducts, losses: Vector, true: Indices) -> None:
        k = losses.shape[1]
        self._products, self._losses = products, losses
        self._directions = products.main_directions(ORDER // k)
        self._truth = np.eye(k)[true]
        self.probabilities = self._start()
        self._scores = scores = self._scores_at(self.probabilities)
        # Feasible in the dual: steps need not first make up for a residual.
        below = scores.max(axis=1, keepdims=True) - scores
        # All scores may be equal: then as far inside as a step stays.
        least = max(float(below.mean()), (1 - INSIDE) * float(np.abs(losses).mean()))
        self._multipliers, self._z = scores.max(axis=1) + least, below + least

    @property
    def mu(self) -> float:
        return float(np.vdot(self.probabilities, self._z)) / self._z.size

    @property
    def errors(self) -> Vector:
        """The probabilities with 0 in place of the true outputs', shape (n, k)."""
        return self.probabilities * (1 - self._truth)

    def gap(self) -> tuple[float, float]:
        """The objective at the w that the probabilities make, and the gap; both divided by C/n."""
        p, scores = self.probabilities, self._scores
        square = float(np.vdot(self._from_truth(p), self._losses - scores))
        own = (scores * self._truth).sum(axis=1)
        slacks = float((scores.max(axis=1) - own).sum())
        return 0.5 * square + slacks, square + slacks - float(np.vdot(self._losses, p))

    @np.errstate(divide="ignore", over="ignore", invalid="ignore")
    def step(self) -> None:
        """Take a step; a LinAlgError where rounding errors prevent it."""
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
        """The point on the way from the truth to all others where the objective is lowest."""
        others = (1 - self._truth) / (self._truth.shape[1] - 1) - self._truth
        rise = float(np.vdot(self._losses, others))
        curvature = float(np.vdot(others, self._products.times(others)))
        length = min(rise / curvature, INSIDE) if curvature > 0 < rise else INSIDE
        return self._truth + length * others

    def _scores_at(self, probabilities: Vector) -> Vector:
        return self._losses - self._products.times(self._from_truth(probabilities))

    def _from_truth(self, probabilities: Vector) -> Vector:
        """p - t, from the other outputs' probabilities: at a large C these are tiny beside 1."""
        others = probabilities * (1 - self._truth)
        return others - self._truth * others.sum(axis=1, keepdims=True)


def _longest(*moves: tuple[Vector, Vector]) -> float:
    """The longest step, at most 1, with which these positive points plus their moves are >= 0."""
    return 1 / max(1.0, *(-float((move / point).min()) for point, move in moves))
