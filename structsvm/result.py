"""What a training returns: the solution, how it was reached, and what it guarantees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from structsvm.calls import copied, initialize, require_problem
from structsvm.constraints import Constraints
from structsvm.containers import take
from structsvm.objective import dual_value, group_caps, primal_value
from structsvm.oracle import BoundProblem
from structsvm.outcome import Outcome, Verification
from structsvm.problem import Problem, SelfLabelledProblem, Vector, offers
from structsvm.separation import SoftSource, Source, aggregate_cut, soft_cut


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
        problem = copied(problem)
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
                _require_soft_oracle(bound.problem)
                part, part_labels = _examples(bound, labels, source.examples)
                cuts, _ = soft_cut(part, part_labels, source.w, source.mu, bound.n)
                linear, v = linear + alpha * float(cuts.offsets[0]), v + alpha * cuts.rows[0]
                mass[part.index] += alpha / bound.n
                feasible = feasible and alpha >= 0
        caps = group_caps(self.C, np.ones(bound.n))
        feasible = feasible and bool(np.all(mass <= caps * (1 + 1e-9)))
        return dual_value(v, constraints.bounded(v), linear), feasible


def _require_soft_oracle(problem: Problem) -> None:
    if not any(offers(problem, form) for form in ("soft_oracle", "sum_soft_oracle")):
        raise ValueError(
            "the dual solution was made with a soft oracle, which verify needs too; "
            f"{type(problem).__name__} defines neither soft_oracle nor sum_soft_oracle"
        )


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
