"""What a training returns: the solution, how it was reached, and what it guarantees."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from structsvm.calls import initialize, require_problem
from structsvm.constraints import Constraints
from structsvm.containers import take
from structsvm.objective import dual_value, group_caps, primal_value
from structsvm.oracle import BoundProblem
from structsvm.problem import OracleQuality, Problem, SelfLabelledProblem, Vector
from structsvm.separation import SoftSource, Source, aggregate_cut, soft_cut


class Status(Enum):
    """Why a training stopped; ``message`` says what to do about it."""

    CONVERGED = "the duality gap is within the tolerance"
    MAX_ITER = (
        "max_iter was reached first; raise max_iter, or the tolerance if this gap is good enough"
    )
    TIME_LIMIT = (
        "time_limit was reached first; raise it, or the tolerance if this gap is good enough"
    )
    INTERRUPTED = "interrupted from the keyboard; this is the best found so far"
    STOPPED = "the callback asked to stop; this is the best found so far"
    STALLED = (
        "the oracle finds no plane that would change w, yet the gap is above the tolerance: "
        "the tolerance is below what the arithmetic can resolve, or relabelling was refused; "
        "raise the tolerance, or accept this gap"
    )
    QP_FAILED = (
        "the quadratic program over the working set could not be solved to a certified gap; "
        "scale the joint features to a norm near 1, or lower C"
    )

    @property
    def message(self) -> str:
        return self.value


class Iteration(NamedTuple):
    """One pass of the loop, as the history keeps it and a callback sees it.

    Attributes
    ----------
    iteration : int
        From 1.
    primal : float
        Objective at the point just queried; infinite where earlier outputs were only refined, or
        the point breaks a constraint.
    best_primal : float
        The lowest objective so far; that point is what a result returns.
    dual : float
        Value of the restricted dual.
    gap : float
        What the stopping rule compares with the tolerance.
    n_planes : int
        Planes in the working set before this pass adds its own.
    oracle_calls : int
        Total so far.
    seconds : float
        Wall time since the start.
    """

    iteration: int
    primal: float
    best_primal: float
    dual: float
    gap: float
    n_planes: int
    oracle_calls: int
    seconds: float


class Guarantee(NamedTuple):
    """What the oracle's quality lets one claim (Finley & Joachims, ICML 2008).

    Attributes
    ----------
    upper_bound : bool
        The primal value is an upper bound of the optimum.
    lower_bound : bool
        The dual value is a lower bound of the optimum. With both, w is within the gap of optimal.
    text : str
        The same in words.
    """

    upper_bound: bool
    lower_bound: bool
    text: str


_GUARANTEES: dict[OracleQuality, Guarantee] = {
    "exact": Guarantee(True, True, "exact oracle: dual <= optimum <= primal, w is within the gap"),
    "undergenerating": Guarantee(
        False,
        True,
        "undergenerating oracle: dual <= optimum; the primal may be too low, because the oracle "
        "may have missed a more violated output, and the slacks do not bound the training loss",
    ),
    "overgenerating": Guarantee(
        True,
        False,
        "overgenerating oracle: optimum <= primal and the slacks bound the training loss; the "
        "dual is that of the relaxed problem and may lie above the optimum",
    ),
}


def guarantee_of(problem: Problem) -> Guarantee:
    """The guarantee that follows from the problem's declared oracle quality."""
    supervised = _GUARANTEES[problem.oracle_quality]
    if not isinstance(problem, SelfLabelledProblem):
        return supervised
    text = (
        "self-labelled, hence not convex: the primal is the objective at w and no global "
        "optimality is claimed; with the labels kept as they are, no w is better by more than "
        f"the gap ({supervised.text})"
    )
    return Guarantee(supervised.upper_bound, False, text)


class SupportPlane(NamedTuple):
    """A plane with alpha > 0, and what it was made from.

    Attributes
    ----------
    source : Source or SoftSource
        Oracle outputs: ``example`` is an index or None for all, ``outputs`` one for each
        example, ``weights`` of shape (len(outputs),) what each counts in the plane. Or where a
        soft oracle was asked: ``examples`` are indices or None for all, ``w`` the point and ``mu``
        the temperature.
    alpha : float
        The plane's dual variable, > 0.
    """

    source: Source | SoftSource
    alpha: float


class Verification(NamedTuple):
    """A result recomputed from the data by :meth:`structsvm.Result.verify`.

    Attributes
    ----------
    primal, dual, gap : float
        As in :class:`structsvm.Result`.
    constraint_violation : float
        The largest violation of A w <= b, relative to 1 + abs(b_r) + norm(A_r) norm(w); or of a
        lower bound, relative likewise.
    matches : bool
        Whether all of it agrees with the result.
    """

    primal: float
    dual: float
    gap: float
    constraint_violation: float
    matches: bool


@dataclass(frozen=True)
class Outcome:
    """What every certified optimisation tells: how good, how sure, how it was reached.

    Attributes
    ----------
    primal, dual, gap : float
        Objective at the best point found, value of the dual, and their difference. What they bound
        is said by ``guarantee``.
    status : Status
        Why it stopped; ``status.message`` for people.
    guarantee : Guarantee
        What may be claimed.
    iterations, oracle_calls : int
        Passes of the loop, and searches for something violated.
    seconds : dict of str to float
        Wall time of the parts, and 'total'.
    history : tuple of Iteration
        One entry per pass.
    """

    primal: float
    dual: float
    gap: float
    status: Status
    guarantee: Guarantee
    iterations: int
    oracle_calls: int
    seconds: dict[str, float]
    history: tuple[Iteration, ...] = field(repr=False)

    def __str__(self) -> str:
        return (
            f"{self.status.name}: {self.status.message}\n"
            f"primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.3g} after "
            f"{self.iterations} iterations, {self.oracle_calls} oracle calls, "
            f"{self.seconds['total']:.3g} s\n{self.guarantee.text}"
        )


@dataclass(frozen=True)
class Result(Outcome):
    """The outcome of a training.

    Attributes
    ----------
    primal, dual, gap : float
        Objective at ``w`` (:mod:`structsvm.objective`), value of the restricted dual, and their
        difference. What they bound is said by ``guarantee``.
    status : Status
        Why the training stopped; ``status.message`` for people.
    guarantee : Guarantee
        What may be claimed.
    iterations, oracle_calls : int
        Passes of the loop, and separation-oracle calls (one per example and pass; none in passes
        that only refine what was found earlier).
    seconds : dict of str to float
        Wall time: 'oracle', 'joint_feature', 'qp' and 'total'.
    history : tuple of Iteration
        One entry per pass.
    w : ndarray of shape (size_joint_feature,)
        The best point found.
    labels : object
        The labels trained on, for a self-labelled problem; else None.
    support : tuple of SupportPlane
        The planes that make up the dual solution, as oracle outputs.
    multipliers : ndarray of shape (n_constraints,)
        The dual variables of the problem's own constraints.
    n_examples : int
        How many examples were trained on.
    C : float
        As given.
    rescaling : {'margin', 'slack'}
        As given.
    solver : str
        The name of the solver; where 'auto' chose it, also why.
    """

    w: Vector
    labels: Any = field(repr=False)
    support: tuple[SupportPlane, ...] = field(repr=False)
    multipliers: Vector = field(repr=False)
    n_examples: int
    C: float = 1.0
    rescaling: str = "margin"
    solver: str = ""

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.solver}".rstrip()

    def verify(self, problem: Problem, X: Any, Y: Any = None, tol: float = 1e-6) -> Verification:
        """Recompute primal, dual and gap from the data, trusting nothing stored but w and alpha
        (and the labels, where the problem is self-labelled).

        The primal takes one pass of the oracle at ``w``. The dual takes the joint features and
        losses of the outputs behind every support plane.

        Parameters
        ----------
        problem : Problem
            The problem, or another of the same kind (with a stronger oracle, say). It is copied,
            not changed.
        X, Y : sequences
            The training data.
        tol : float, default=1e-6
            Largest difference allowed, relative to 1 + abs(primal).

        Returns
        -------
        Verification
            The recomputed numbers; ``matches`` says whether they agree with the stored ones, the
            dual variables are feasible and w satisfies the constraints. The primal of an
            undergenerating oracle may come out lower: the training also knew earlier outputs.
            Where X is float32 and the problem computes in float32, so does this; pass X in
            float64 to learn what the rounding hides.
        """
        require_problem(problem)
        if Y is None and not isinstance(problem, SelfLabelledProblem):
            raise ValueError("verify needs the outputs Y that were trained on; Y is None")
        problem = copy.deepcopy(problem)
        initialize(problem, X, Y)
        bound = BoundProblem(problem, X, Y, self.rescaling)
        if bound.n != self.n_examples:
            raise ValueError(f"trained on {self.n_examples} examples, but X has {bound.n}")
        labels = bound.Y if self.labels is None else self.labels
        slacks = aggregate_cut(bound, labels, self.w).slacks
        primal = primal_value(self.w, np.array([self.C]), slacks)
        constraints = Constraints(bound.constraints(), bound.size, bound.lower_bounds())
        dual, feasible = self._recomputed_dual(bound, labels, constraints)
        violation = constraints.largest_violation(self.w)
        scale = tol * (1 + abs(self.primal))
        may_miss = problem.oracle_quality == "undergenerating"
        matches = (
            feasible
            and primal <= self.primal + scale
            and (may_miss or primal >= self.primal - scale)
            and abs(dual - self.dual) <= scale
            and violation <= tol
        )
        return Verification(primal, dual, primal - dual, violation, bool(matches))

    def _recomputed_dual(
        self, bound: BoundProblem, labels: Any, constraints: Constraints
    ) -> tuple[float, bool]:
        multipliers = self.multipliers * constraints.norms
        v = -(constraints.A.T @ multipliers)
        linear = -float(constraints.b @ multipliers)
        mass, feasible = np.zeros(bound.n), bool(np.all(multipliers >= 0))
        for examples, outputs, weights in _merged(self.support):
            part, part_labels = _examples(bound, labels, examples)
            rows, offsets = part.planes(part_labels, [outputs], weights[None, :])
            linear, v = linear + float(offsets[0]), v + rows[0]
            np.add.at(mass, part.index, weights)
            feasible = feasible and bool(np.all(weights >= 0))
        for source, alpha in self.support:
            if isinstance(source, SoftSource):
                part, part_labels = _examples(bound, labels, source.examples)
                cuts, _ = soft_cut(part, part_labels, source.w, source.mu, bound.n)
                linear, v = linear + alpha * float(cuts.offsets[0]), v + alpha * cuts.rows[0]
                mass[part.index] += alpha / bound.n
                feasible = feasible and alpha >= 0
        caps = group_caps(self.C, np.ones(bound.n))
        feasible = feasible and bool(np.all(mass <= caps * (1 + 1e-9)))
        return dual_value(v, constraints.bounded(v), linear), feasible


def _examples(bound: BoundProblem, labels: Any, examples: Any) -> tuple[BoundProblem, Any]:
    """The problem over these examples, None for all, and their labels."""
    if examples is None:
        return bound, labels
    own = labels is bound.Y
    return bound.subset(examples), None if own else take(labels, examples)


def _merged(support: Sequence[SupportPlane]) -> Iterator[tuple[Any, Sequence[Any], Vector]]:
    """Oracle outputs in the support, as few calls: of all examples one by one, of single ones
    together.

    Yields the index of the examples (None for all), their outputs and their weights in the dual.
    """
    hard = [(plane.source, plane.alpha) for plane in support if isinstance(plane.source, Source)]
    for source, alpha in hard:
        if source.example is None:
            yield None, source.outputs, alpha * source.weights
    single = [(i, source, alpha) for source, alpha in hard if (i := source.example) is not None]
    if single:
        single.sort(key=lambda plane: plane[0])
        rows, alphas = np.array([i for i, _, _ in single]), np.array([a for _, _, a in single])
        yield rows, [source.outputs[0] for _, source, _ in single], alphas
