"""An interior-point method (Mehrotra, SIAM Journal on Optimization 2, 1992).

If the active-set method is not accurate enough, the interior-point method solves the following
quadratic program for the coordinates z of w, and for a slack xi_g of each group g of planes:

    min |z|^2 / 2 + sum_g c_g xi_g   subject to   t_j z + xi_g(j) >= b_j,   xi_g >= 0.

The row t_j holds the coordinates of plane j, and the number c_g is the weight of the slack of group
g. The plane of a linear constraint, called a hard plane, has no slack. Newton's equations are
reduced to equations for the coordinates of w, and solved by Cholesky's method. The accuracy of
Cholesky's method does not depend on the scale of a coordinate. The module
:mod:`structsvm.qp.coordinates` puts large and small differences between the rows into separate
coordinates, to preserve the small differences. The method may miss the solution if slacks have
weights as large as 1e5 and, at the same time, linear constraints leave almost no interior. The
feasible set has no interior if, for example, two linear constraints together fix the scalar product
of w with a vector. If the method misses the solution, the active-set method comes
closer to the solution.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrf, dpotrs

from structsvm.data.arrays import Indices, Vector
from structsvm.qp.certificate import QPSolution, certify_pair, clip_to_feasible

#: Largest number of iterations. Most programs take 10, and programs with entries of many sizes 40.
MAX_ITERATIONS = 100
#: Fraction of the way to the boundary that a step takes.
INSIDE = 0.99
#: Number of solutions of Newton's equations in a step: the second one corrects rounding errors.
SOLVES = 2
#: Damping of the Newton matrix, relative to its diagonal, against rounding errors.
DAMPING = 1e-15


class _Point(NamedTuple):
    """A point, or a step: coordinates, slacks, distances to the constraints, and multipliers.

    The constraints of the planes come first, followed by the constraints xi >= 0.
    """

    u: Vector
    xi: Vector
    distances: Vector
    multipliers: Vector

    def moved(self, step: "_Point", length: float) -> "_Point":
        return _Point(*(x + length * dx for x, dx in zip(self, step, strict=True)))

    def longest(self, step: "_Point") -> float:
        """Return the length of the longest feasible step, at most about 1."""
        inner, move = np.concatenate(self[2:]), np.concatenate(step[2:])
        falling = move < 0
        return float(np.min(-inner[falling] / move[falling], initial=1 / INSIDE))

    @property
    def complementarity(self) -> float:
        """The mean product of a distance to a constraint and the constraint's multiplier."""
        return float(self.distances @ self.multipliers) / len(self.distances)


def solve(T: Vector, b: Vector, groups: Indices, caps: Vector) -> QPSolution:
    """Solve the restricted problem.

    Parameters
    ----------
    T : ndarray of shape (m, r)
        The coordinates of the planes' rows in an orthonormal basis. No column is 0.
    b, groups, caps
        The program, as in :func:`structsvm.qp.solve_restricted_dual`.

    Returns
    -------
    QPSolution
        The solution of the best iteration, judged by its certificate. The attribute ``w`` holds the
        coordinates of the weights in the orthonormal basis of T.
    """
    program = _Program(T, b, groups, caps)
    here = program.start()
    with np.errstate(all="ignore"):  # an unbounded dual overflows
        best = program.answer(here, 0)
        for iterations in range(1, MAX_ITERATIONS + 1):
            newton = _Newton(program, here)
            if best.accepted or not newton.solvable:
                break
            here = newton.next()
            best = min(best, program.answer(here, iterations), key=lambda answer: answer.error)
    return best


class _Program:
    """The quadratic program with coordinates, offsets and caps scaled to 1."""

    def __init__(self, T: Vector, b: Vector, groups: Indices, caps: Vector) -> None:
        self.given = T, b, groups, caps
        capped = np.isfinite(caps[groups])
        present, member = np.unique(groups[capped], return_inverse=True)
        ones, shape = np.ones(len(member)), (len(b), len(present))
        self.E = sparse.csr_array((ones, (np.flatnonzero(capped), member)), shape)
        self.unit, self.cap = np.abs(b).max() or 1.0, caps[present].max(initial=0.0) or 1.0
        self.scale = 1 / np.abs(T).max(axis=0)
        self.U, self.h, self.q = T * self.scale, b / self.unit, caps[present] / self.cap
        self.p = self.scale**2 * self.unit / self.cap

    def values(self, u: Vector, xi: Vector) -> Vector:
        """Return the left side of each plane's constraint, followed by the slack of each group."""
        return np.concatenate([self.U @ u + self.E @ xi, xi])

    def answer(self, point: _Point, iterations: int) -> QPSolution:
        """Return the point in the original units, made feasible and certified."""
        T, b, groups, caps = self.given
        alpha = clip_to_feasible(self.cap * point.multipliers[: len(b)], groups, caps)
        z = self.scale * self.unit * point.u
        found = certify_pair(T, b, groups, caps, alpha, z)
        return found._replace(w=z, backend="interior-point", iterations=iterations)

    def start(self) -> _Point:
        """Return an interior point: w = 0, slacks above all offsets, and equal multipliers."""
        m, n_groups = self.E.shape
        xi, alpha = np.full(n_groups, 2.0), np.full(m, 1 / m)
        distances = np.concatenate([np.maximum(self.E @ xi - self.h, 1.0), xi])
        beta = np.maximum(self.q - self.E.T @ alpha, 0.1)
        return _Point(np.zeros(len(self.p)), xi, distances, np.concatenate([alpha, beta]))


class _Newton:
    """Newton's equations at a point, reduced to equations for the coordinates of w.

    The slack of each group is eliminated first. The matrix of the reduced equations is a sum of
    positive semidefinite matrices, in which no digits cancel.
    """

    def __init__(self, program: _Program, here: _Point) -> None:
        self.program, self.here = program, here
        E, U = program.E, program.U
        self.weights = here.multipliers / here.distances
        D, F = np.split(self.weights, [len(U)])
        self.total = F + E.T @ D
        self.mean = (E.T @ (D[:, None] * U)) / self.total[:, None]
        centred = U - E @ self.mean
        M = centred.T @ (D[:, None] * centred) + self.mean.T @ (F[:, None] * self.mean)
        M.flat[:: len(M) + 1] += program.p
        self.root = 1 / np.sqrt(M.diagonal())
        M *= self.root
        M *= self.root[:, None]
        M.flat[:: len(M) + 1] += DAMPING
        self.factor, failed = dpotrf(M, lower=1)
        self.solvable = not failed and bool(np.isfinite(self.factor.diagonal()).all())

    def next(self) -> _Point:
        """Return the next point.

        Mehrotra's predictor step determines how the step to the next point is corrected and
        centred.
        """
        here = self.here
        step = self._step(0.0)
        predicted = here.moved(step, min(1.0, here.longest(step)))
        target = here.complementarity * (predicted.complementarity / here.complementarity) ** 3
        step = self._step(target - step.distances * step.multipliers)
        return here.moved(step, INSIDE * here.longest(step))

    def _step(self, products: Vector | float) -> _Point:
        """Return the Newton step for the equations ``distances * multipliers = products``.

        The distance to a constraint is the left side minus the right side of the constraint.
        """
        program, (u, xi, distances, multipliers) = self.program, self.here
        miss = program.values(u, xi) - distances
        miss[: len(program.h)] -= program.h
        # Refine the step once: if weights are large, the rounding error of a distance's change
        # makes the change of its multiplier wrong.
        change = products / distances - multipliers - self.weights * miss
        step = _Point(np.zeros_like(u), np.zeros_like(xi), miss, change)
        for _ in range(SOLVES):
            alpha, beta = np.split(multipliers + step.multipliers, [len(program.h)])
            for_u = program.U.T @ alpha - program.p * (u + step.u)
            for_xi = program.E.T @ alpha + beta - program.q
            du, dxi = self._reduced(for_u, for_xi)
            more = program.values(du, dxi)
            step = step.moved(_Point(du, dxi, more, -self.weights * more), 1.0)
        return step

    def _reduced(self, for_u: Vector, for_xi: Vector) -> tuple[Vector, Vector]:
        """Return the changes of w's coordinates and of the slacks."""
        right = for_u - self.mean.T @ for_xi
        du = right  # empty if all rows are 0
        if len(right):
            du = self.root * dpotrs(self.factor, self.root * right, lower=1)[0]
        return du, for_xi / self.total - self.mean @ du
