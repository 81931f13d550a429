"""Solve the relaxation: passes of iterations, a certificate, and new triangle inequalities."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.exceptions import InfeasibleConstraintsError
from structsvm.problems.margin_clustering.sdp_mmc.admm import SplittingMethod
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import SIGNS, DualPoint, Relaxation
from structsvm.problems.set_clustering.triangles import Triangles, violated_triangles
from structsvm.results.status import Guarantee, Iteration, Outcome, Status
from structsvm.results.verification import Verification
from structsvm.solvers.shared.loop import Limits, Pass

logger = logging.getLogger(__name__)

#: Iterations of a pass.
ITERATIONS = 25
#: Triangle inequalities added in a pass, at most, for each pair of nodes.
ADDED = 3
#: Passes after which the scale of the method is adapted to the current value of f.
FITTED = 3
#: Violation of a triangle inequality above which it is added, relative to the tolerance.
VIOLATED = 0.1
#: Slack above which a triangle inequality with a zero multiplier is dropped.
SLACK = 0.05

GUARANTEE = Guarantee(
    upper_bound=False,
    lower_bound=True,
    text=(
        "convex relaxation: no labelling that keeps the labels, links and the balance has an "
        "objective below the dual; the primal is that of a matrix which may violate the "
        "constraints by the violation"
    ),
)


@documented
@dataclass(frozen=True, repr=False)
class RelaxationResult(Outcome):
    """The solution of the relaxation in :class:`structsvm.problems.SDPMMC`, with its certificate.

    Shared parameters and attributes are added at import: see ``help``.

    Attributes
    ----------
    primal, dual, gap : float
        f(M), a lower bound of f over all feasible matrices, and their difference.
    iterations : int
        Number of passes: 25 iterations of the first-order method, and one search for violated
        triangle inequalities.
    history : tuple of Iteration
        One entry per pass; ``n_planes`` counts the inequalities in the working set.
    violation : float
        The largest violation by M of a triangle inequality, or of the balance by the mean of a row.
    Z : ndarray of shape (n_nodes, n_nodes)
        M restricted to one row of each group of linked rows.
    dual_point : DualPoint
        The dual variables that prove the lower bound.
    """

    violation: float
    Z: Vector
    dual_point: DualPoint

    def verify(self, relaxation: Relaxation, tol: float = 1e-6) -> Verification:
        """Recompute all numbers from the kernel and the dual point; see :class:`Verification`."""
        primal = relaxation.margin(self.Z).value
        dual = relaxation.bound(self.dual_point)
        violation = relaxation.violation(self.Z)
        scale = tol * (1 + abs(self.primal))
        matches = (
            abs(primal - self.primal) <= scale
            and abs(dual - self.dual) <= scale
            and abs(violation - self.violation) <= tol
            and relaxation.allows(self.dual_point)
        )
        return Verification(primal, dual, primal - dual, 0.0, violation, bool(matches))


class _Found(NamedTuple):
    """A matrix with its objective and violation."""

    primal: float
    violation: float
    Z: Vector


def solve(relaxation: Relaxation, tol: float, limits: Limits) -> RelaxationResult:
    """Solve to a relative gap and a violation of ``tol``, or until a limit is met.

    Raises
    ------
    InfeasibleConstraintsError
        The lower bound exceeds the largest possible objective, so no labelling is feasible.
    """
    run = _Run(relaxation, tol)
    status = limits.run(run)
    result = run.result(status)
    logger.info("%s", result)
    return result


class _Run:
    """One run: the method, the best matrix and the best bound so far."""

    name = "SDPMMC"

    def __init__(self, relaxation: Relaxation, tol: float) -> None:
        self.relaxation, self.tol = relaxation, tol
        self.method = SplittingMethod(relaxation)
        self.lam: Vector | None = None
        self.best: _Found | None = None
        self.violated: Triangles | None = None
        self.dual, self.dual_point = -math.inf, self.method.dual_point()
        self.history: list[Iteration] = []
        self.started = time.perf_counter()

    def step(self) -> Pass:
        """Add and drop triangle inequalities; make iterations, and certify."""
        if self.violated is not None:
            self.method.prune(SLACK)
            # They are in order of violation: the slice takes the most violated.
            self.method.add(self.violated.take(slice(ADDED * len(self.method.z))))
        self.method.advance(ITERATIONS)
        Z = self.method.Z
        found, excess = violated_triangles(Z, SIGNS, 0.0)
        self.violated = found.take(slice(np.count_nonzero(excess > VIOLATED * self.tol)))
        primal = self._certify(Z, float(excess.max(initial=0.0)))
        iteration = self._record()
        if iteration.iteration <= FITTED:
            # The method computes with the scaled K, for which f is ``unit`` times as large.
            self.method.fit_border(primal * self.relaxation.unit)
        return Pass(iteration, Z, self._badness(self.best) <= self.tol)

    def _certify(self, Z: Vector, excess: float) -> float:
        """Keep Z and the current dual point where they are the best so far; returns f of Z.

        ``excess`` is the largest violation of a triangle inequality by Z.
        """
        relaxation = self.relaxation
        point = self.method.dual_point()
        bound = relaxation.bound(point)
        if bound > self.dual:
            self.dual, self.dual_point = bound, point
        if self.dual > relaxation.largest_margin:
            raise InfeasibleConstraintsError(
                "no labelling satisfies all labels and links within the balance: the lower bound "
                f"of the objective, {self.dual:.6g}, is above the largest it can be, "
                f"{relaxation.largest_margin:.6g}; raise balance, or remove links"
            )
        primal, self.lam = relaxation.margin(Z, self.lam)
        found = _Found(primal, max(excess, relaxation.imbalance(Z)), Z)
        if self.best is None or self._badness(found) < self._badness(self.best):
            self.best = found
        return primal

    def _badness(self, found: _Found | None) -> float:
        """The larger of the relative gap and the violation."""
        if found is None:
            return math.inf
        return max((found.primal - self.dual) / abs(found.primal), found.violation)

    def _record(self) -> Iteration:
        assert self.best is not None
        number = len(self.history) + 1
        iteration = Iteration(
            iteration=number,
            primal=self.best.primal,
            best_primal=self.best.primal,
            dual=self.dual,
            gap=self.best.primal - self.dual,
            n_planes=len(self.method.triangles.signs),
            oracle_calls=number,
            seconds=time.perf_counter() - self.started,
        )
        self.history.append(iteration)
        return iteration

    def result(self, status: Status) -> RelaxationResult:
        assert self.best is not None
        return RelaxationResult(
            primal=self.best.primal,
            dual=self.dual,
            gap=self.best.primal - self.dual,
            tolerance=self.tol * abs(self.best.primal),
            status=status,
            guarantee=GUARANTEE,
            iterations=len(self.history),
            oracle_calls=len(self.history),
            seconds={"total": time.perf_counter() - self.started},
            history=tuple(self.history),
            violation=self.best.violation,
            Z=self.best.Z,
            dual_point=self.dual_point,
        )
