"""Solve the relaxation in a factor of low rank: minimisations, inequalities and a certificate."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.exceptions import InfeasibleConstraintsError
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.certificate import (
    LowRankPoint,
    allows,
    bound,
    no_multipliers,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import violated
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.eigenvalue import CONFIRMED
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.method import AugmentedLagrangian
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.results.status import Guarantee, Iteration, Outcome, Status
from structsvm.results.verification import Verification
from structsvm.solvers.shared.loop import Limits, Pass

logger = logging.getLogger(__name__)

#: Passes without inequalities of pairs, and passes that add some.
FIRST, ADDING = 2, 6
#: Iterations of a pass until all inequalities are there, and afterwards.
ITERATIONS, FINAL_ITERATIONS = 40, 100
#: Iterations of a certificate, which optimises V for the multipliers.
POLISHING = 200
#: Inequalities of pairs added in a pass, at most, for each node.
ADDED = 5
#: And in all.
MOST_ADDED = 5000
#: Passes that gain less than this part of the gap, after which the run ends.
PATIENCE, GAINED = 6, 0.05
#: Relative gap to which f(M) is computed, relative to the tolerance.
PRIMAL_RTOL = 0.2

GUARANTEE = Guarantee(
    upper_bound=False,
    lower_bound=True,
    text=(
        "convex relaxation: no labelling that keeps the labels, links and the balance has an "
        "objective below the dual; the primal is that of a matrix of low rank which satisfies "
        "some of the inequalities of pairs, and the balance, to the violation, and so may be below "
        "the dual"
    ),
)

#: Of more nodes than the estimate of an eigenvalue is confirmed for.
ASSUMED = GUARANTEE._replace(
    text=GUARANTEE.text
    + f"; with more than {CONFIRMED} nodes the dual assumes that Lanczos' method found the largest "
    "eigenvalue"
)

#: What the status of that name says here.
STALLED = (
    "further passes raise the lower bound too little, and the gap is above the tolerance. The "
    "labels are a clustering within the balance and the lower bound holds all the same; it is less "
    "tight than tol asks for. Raise tol, or accept this gap"
)


@documented
@dataclass(frozen=True, repr=False)
class LowRankResult(Outcome):
    """The solution in a factor of low rank in :class:`structsvm.problems.SDPMMC`.

    Shared parameters and attributes are added at import: see ``help``.

    Attributes
    ----------
    primal, dual, gap : float
        f(M), from above by W, a lower bound of f over all feasible matrices, and their difference.
    iterations : int
        Number of passes, each one minimisation.
    history : tuple of Iteration
        One entry per pass; ``n_planes`` counts the inequalities in the working set.
    violation : float
        The largest violation of an inequality in the working set, or of the balance by the mean.
    V : ndarray of shape (n_nodes, r)
        The factor: M = V V' restricted to one row of each group of linked rows.
    W : ndarray of shape (p, r)
        The weights of the features, of which the primal is the objective.
    dual_point : LowRankPoint
        The dual variables that prove the lower bound.
    """

    violation: float
    V: Vector
    W: Vector
    dual_point: LowRankPoint

    @property
    def message(self) -> str:
        """The reason why it ended, and what to do about it."""
        return STALLED if self.status is Status.STALLED else super().message

    @property
    def Z(self) -> Vector:
        """V V', of shape (n_nodes, n_nodes)."""
        return self.V @ self.V.T

    def verify(self, program: LowRankProgram, tol: float = 1e-6) -> Verification:
        """Recompute all numbers from the kernel and the dual point; see :class:`Verification`."""
        # The features of other rows may be of another number.
        fits = self.W.shape[0] == program.features.shape[1]
        primal = program.primal(self.V, self.W) if fits else np.nan
        dual = bound(program, self.dual_point)
        violation = program.violation(self.V, self.dual_point.cuts)
        scale = tol * (1 + abs(self.primal))
        matches = (
            abs(primal - self.primal) <= scale
            and abs(dual - self.dual) <= scale
            and abs(violation - self.violation) <= tol
            and allows(program, self.dual_point)
        )
        return Verification(primal, dual, primal - dual, 0.0, violation, bool(matches))


def solve(
    program: LowRankProgram, tol: float, limits: Limits, rng: np.random.Generator
) -> LowRankResult:
    """Solve to a relative gap and a violation of ``tol``, or until a limit is met.

    Raises
    ------
    InfeasibleConstraintsError
        The lower bound exceeds the largest possible objective, so no labelling is feasible.
    """
    run = _Run(program, tol, rng)
    status = limits.run(run)
    result = run.result(status)
    logger.info("%s", result)
    return result


class _Run:
    """One run: the method, and the best bound so far."""

    name = "SDPMMC"

    def __init__(self, program: LowRankProgram, tol: float, rng: np.random.Generator) -> None:
        self.program, self.tol, self.rng = program, tol, rng
        self.method = AugmentedLagrangian(program, rng)
        self.W = self.method.W
        self.primal, self.dual, self.dual_point = np.inf, 0.0, no_multipliers(program)
        self.confirmed, self.better, self.idle = False, 0.0, 0
        self.history: list[Iteration] = []
        self.started = time.perf_counter()

    def step(self) -> Pass | Status:
        """Add inequalities and minimise; after some of these steps, minimise and certify."""
        method, program, made = self.method, self.program, len(self.history)
        if FIRST <= made <= FIRST + ADDING:
            most = min(ADDED * program.n_nodes, MOST_ADDED)
            method.add(violated(method.V, program.n_clusters, most, self.rng))
        if made < FIRST + ADDING:
            method.advance(ITERATIONS)
            self._set_weights(method.W)
            return Pass(self._record(), method.V, False)
        if self.idle == PATIENCE:
            return Status.STALLED
        # A more exact minimum gives more exact multipliers, and a larger bound of them.
        method.advance(FINAL_ITERATIONS * (1 + self.idle))
        rtol = PRIMAL_RTOL * self.tol
        self._set_weights(program.weights(method.V, rtol, method.W, method.lam)[0])
        self._certify(POLISHING * (1 + self.idle))
        if self._is_within_tolerance:
            self._confirm()
        iteration = self._record()
        self.idle = 0 if self.dual > self.better + GAINED * iteration.gap else self.idle + 1
        self.better = max(self.better, self.dual)
        return Pass(iteration, method.V, self._is_within_tolerance)

    def _set_weights(self, W: Vector) -> None:
        self.W, self.primal = W, self.program.primal(self.method.V, W)

    @property
    def _is_within_tolerance(self) -> bool:
        missing = max(self.primal - self.dual, 0) + self.method.shortfall
        return missing <= self.tol * self.primal

    def _certify(self, iterations: int) -> None:
        """Keep the current dual point if its bound is the best so far."""
        point, value = self.method.dual_point(iterations)
        if value > self.dual:
            self.dual, self.dual_point, self.confirmed = value, point, False
        if self.dual > self.program.largest_margin:
            self._confirm()
        if self.dual > self.program.largest_margin:
            raise InfeasibleConstraintsError(
                "no labelling satisfies all labels and links within the balance: the lower bound "
                f"of the objective, {self.dual:.6g}, is above the largest it can be, "
                f"{self.program.largest_margin:.6g}; raise balance, or remove links"
            )

    def _confirm(self) -> None:
        """Replace the bound, which rests on an estimated eigenvalue, by one that is proved."""
        if not self.confirmed:
            self.dual, self.confirmed = bound(self.program, self.dual_point), True

    def _record(self) -> Iteration:
        number = len(self.history) + 1
        iteration = Iteration(
            iteration=number,
            primal=self.primal,
            best_primal=self.primal,
            dual=self.dual,
            gap=self.primal - self.dual,
            n_planes=len(self.method.t),
            oracle_calls=number,
            seconds=time.perf_counter() - self.started,
        )
        self.history.append(iteration)
        return iteration

    def result(self, status: Status) -> LowRankResult:
        self._set_weights(self.W)
        if self.dual == 0:  # a limit came before the first certificate
            self._certify(POLISHING)
        self._confirm()
        V = self.method.V
        return LowRankResult(
            primal=self.primal,
            dual=self.dual,
            gap=self.primal - self.dual,
            tolerance=self.tol * abs(self.primal),
            status=status,
            guarantee=GUARANTEE if self.program.n_nodes <= CONFIRMED else ASSUMED,
            iterations=len(self.history),
            oracle_calls=len(self.history),
            seconds={"total": time.perf_counter() - self.started},
            history=tuple(self.history),
            violation=self.program.violation(V, self.dual_point.cuts),
            V=V,
            W=self.W,
            dual_point=self.dual_point,
        )
