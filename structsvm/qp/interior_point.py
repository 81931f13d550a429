"""The fallback: a primal-dual interior point (Mehrotra, SIAM Journal on Optimization 2, 1992).

The restricted problem, for rows t_j of coordinates and groups with the caps c_g,

    min |z|^2 / 2 + sum_g c_g xi_g   subject to   t_j z + xi_g(j) >= b_j,   xi_g >= 0

where a hard plane has no xi. Newton's equations are reduced to the coordinates, and the scale of
a coordinate does not matter to Cholesky's method. So directions of different size do no harm where
they are coordinates of their own, as :mod:`structsvm.qp.coordinates` makes them. Hard planes that
leave hardly an inside, as pairs that bound one direction from both sides, may keep it from the
solution where caps are 1e5; then the active set's answer is the better one.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrf, dpotrs

from structsvm.qp.certificate import QPSolution, certify_pair, clip_to_feasible

#: Iterations at most; most programs take 10, and those with entries of many sizes 40.
MAX_ITERATIONS = 100
#: Iterations without a better answer, or less complementarity, after which only rounding is left.
PATIENCE = 10
#: Fraction of the way to the boundary that a step takes.
INSIDE = 0.99
#: Solutions of Newton's equations in a step: the first, and one for what rounding has left.
SOLVES = 2
#: Damping of the Newton matrix, relative to its diagonal, against rounding.
DAMPING = 1e-15


class _Variables(NamedTuple):
    """The variables, or a step: coordinates, slacks, distances to both constraints, multipliers."""

    u: np.ndarray
    xi: np.ndarray
    above: np.ndarray
    positive: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray

    def moved(self, step: "_Variables", length: float) -> "_Variables":
        return _Variables(*(x + length * dx for x, dx in zip(self, step, strict=True)))

    def longest(self, step: "_Variables") -> float:
        """The length of a step to the boundary, at most 1 / INSIDE."""
        inner, move = np.concatenate(self[2:]), np.concatenate(step[2:])
        falling = move < 0
        return float(np.min(-inner[falling] / move[falling], initial=1 / INSIDE))

    @property
    def complementarity(self) -> float:
        """The mean product of a distance and its multiplier."""
        products = self.above @ self.alpha + self.positive @ self.beta
        return float(products / (len(self.alpha) + len(self.beta)))


def solve(
    T: np.ndarray, b: np.ndarray, groups: np.ndarray, caps: np.ndarray, tol: float
) -> QPSolution:
    """Solve the restricted problem.

    Parameters
    ----------
    T : ndarray of shape (m, r)
        Coordinates of the planes; no column is 0.
    b, groups, caps, tol
        As for :func:`structsvm.qp.solve_restricted_dual`.

    Returns
    -------
    QPSolution
        The best of all iterations, by its certificate; its w, of shape (r,), is in coordinates.
    """
    program = _Program(T, b, groups, caps)
    here = program.start()
    with np.errstate(all="ignore"):  # an unbounded dual overflows
        best, least, last = program.answer(here, 0), here.complementarity, 0
        for iterations in range(1, MAX_ITERATIONS + 1):
            newton = _Newton(program, here)
            if not newton.solvable:
                break
            here = newton.next()
            answer = program.answer(here, iterations)
            if answer.error < best.error:
                best, last = answer, iterations
            if here.complementarity < least:
                least, last = here.complementarity, iterations
            # Before the dual is feasible, other steps are short.
            stalled = best.error < 1 and iterations - last >= PATIENCE
            if best.accepts(tol) or stalled:
                break
    return best


class _Program:
    """The program with coordinates, offsets and caps scaled to 1."""

    def __init__(self, T, b, groups, caps) -> None:
        self.given = T, b, groups, caps
        capped = np.isfinite(caps[groups])
        present, member = np.unique(groups[capped], return_inverse=True)
        ones, shape = np.ones(len(member)), (len(b), len(present))
        self.E = sparse.csr_array((ones, (np.flatnonzero(capped), member)), shape)
        self.unit, self.cap = np.abs(b).max() or 1.0, caps[present].max(initial=0.0) or 1.0
        self.scale = 1 / np.abs(T).max(axis=0)
        self.U, self.h, self.q = T * self.scale, b / self.unit, caps[present] / self.cap
        self.p = self.scale**2 * self.unit / self.cap

    def answer(self, variables: _Variables, iterations: int) -> QPSolution:
        """The variables in the units given, feasible, and certified."""
        T, b, groups, caps = self.given
        alpha = clip_to_feasible(self.cap * variables.alpha, groups, caps)
        z = self.scale * self.unit * variables.u
        found = certify_pair(T, b, groups, caps, alpha, z)
        return found._replace(w=z, backend="interior-point", iterations=iterations)

    def start(self) -> _Variables:
        """A point inside: w = 0, slacks above all offsets, and equal multipliers."""
        m, n_groups = self.E.shape
        u, xi = np.zeros(self.U.shape[1]), np.full(n_groups, 2.0)
        above, alpha = np.maximum(self.E @ xi - self.h, 1.0), np.full(m, 1 / m)
        return _Variables(u, xi, above, xi, alpha, np.maximum(self.q - self.E.T @ alpha, 0.1))


class _Newton:
    """Newton's equations at a point, reduced to the coordinates.

    The slack of a group is eliminated first. That subtracts the weighted mean of its rows, the true
    output's row of 0 among them, from each: a sum of squares, without any cancellation.
    """

    def __init__(self, program: _Program, here: _Variables) -> None:
        self.program, self.here = program, here
        E, U = program.E, program.U
        self.D, self.F = here.alpha / here.above, here.beta / here.positive
        self.total = self.F + E.T @ self.D
        self.mean = (E.T @ (self.D[:, None] * U)) / self.total[:, None]
        centred = U - E @ self.mean
        M = centred.T @ (self.D[:, None] * centred) + self.mean.T @ (self.F[:, None] * self.mean)
        M.flat[:: len(M) + 1] += program.p
        self.root = 1 / np.sqrt(M.diagonal())
        M *= self.root
        M *= self.root[:, None]
        M.flat[:: len(M) + 1] += DAMPING
        self.factor, failed = dpotrf(M, lower=1)
        self.solvable = not failed and bool(np.isfinite(self.factor.diagonal()).all())

    def next(self) -> _Variables:
        """The next point: a step with the corrector and the centring that a first one predicts."""
        here = self.here
        step = self._step(0.0, 0.0, 0.0)
        predicted = here.moved(step, min(1.0, here.longest(step)))
        target = here.complementarity * (predicted.complementarity / here.complementarity) ** 3
        step = self._step(step.above * step.alpha, step.positive * step.beta, target)
        return here.moved(step, INSIDE * here.longest(step))

    def _step(self, above: Any, positive: Any, target: float) -> _Variables:
        """The step to products of ``target``, corrected by the products of an earlier step."""
        program, (u, xi, a, x, alpha, beta) = self.program, self.here
        U, E = program.U, program.E
        miss_a, miss_x = U @ u + E @ xi - a - program.h, xi - x
        to_a, to_x = (target - above) / a - alpha, (target - positive) / x - beta
        # With one refinement: where D is large, the rounding of da makes a wrong dalpha.
        du, dxi = np.zeros_like(u), np.zeros_like(xi)
        da, dx = miss_a, miss_x
        dalpha, dbeta = to_a - self.D * miss_a, to_x - self.F * miss_x
        for _ in range(SOLVES):
            for_u = U.T @ (alpha + dalpha) - program.p * (u + du)
            for_xi = E.T @ (alpha + dalpha) + beta + dbeta - program.q
            more_u, more_xi = self._reduced(for_u, for_xi)
            more = U @ more_u + E @ more_xi
            du, dxi, da, dx = du + more_u, dxi + more_xi, da + more, dx + more_xi
            dalpha, dbeta = dalpha - self.D * more, dbeta - self.F * more_xi
        return _Variables(du, dxi, da, dx, dalpha, dbeta)

    def _reduced(self, for_u: np.ndarray, for_xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Solve for the changes of coordinates and slacks."""
        right = for_u - self.mean.T @ for_xi
        du = right  # empty where all rows are 0
        if len(right):
            du = self.root * dpotrs(self.factor, self.root * right, lower=1)[0]
        return du, for_xi / self.total - self.mean @ du
