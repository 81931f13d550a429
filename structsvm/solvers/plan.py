"""A plan of several solvers. When a solver stalls or is slow, the next solver continues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from structsvm.contract.problem import Problem
from structsvm.data.names import brief
from structsvm.docstrings import documented
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.solver import Solver

#: Parameters that the plan sets for all its solvers.
LIMITS = ("rtol", "atol", "max_iter", "time_limit")
#: Attributes that must be equal in all solvers of a plan, and the rule in words.
SHARED = {
    "rescaling": "have the same rescaling",
    "loss": "have the same loss",
    "slack_per_example": "all share one slack, or all have a slack for each example",
    "needs_labels": "all need Y, or all impute outputs, as CCCP does",
}


def _of_first(name: str) -> Any:
    """Return a property for an attribute that all solvers of a plan share."""
    return property(lambda plan: getattr(plan.solvers[0], name))


@documented
class Plan(Solver):
    """A sequence of solvers, which is used like a single solver.

    When a solver stalls, or decides that it has become slow, the next solver continues from the
    best point and the dual solution. A plan skips a solver that would not save time, unless it is
    the last solver. DualInteriorPoint is skipped if there are many examples. DualCoordinateAscent
    is skipped if the data are small, or if the run starts from a given point. ``result.solver``
    says which solvers made passes.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    solvers : sequence of solvers
        The solvers, in the order of their use. Keep the default tolerances and limits of the
        solvers, because the plan replaces them. Either all solvers have one slack for all examples,
        or all solvers have one slack per example.
    max_iter : int, default=10000
        Largest number of passes over the data by all solvers together, >= 1.
    time_limit : float, optional
        Limit of the wall time of all solvers together in seconds, > 0. Default: no limit.

    Examples
    --------
    >>> from structsvm import OneSlackCuttingPlane, Plan, SmoothedLBFGS
    >>> from structsvm.problems import Multiclass
    >>> X, y = Multiclass.example_data()
    >>> plan = Plan([SmoothedLBFGS(), OneSlackCuttingPlane(prune_after=20)], rtol=1e-4)
    >>> print(plan)
    SmoothedLBFGS -> OneSlackCuttingPlane
    >>> plan.solve(Multiclass(), X, y).status.name
    'CONVERGED'
    """

    may_skip = True

    def __init__(
        self,
        solvers: Sequence[Solver],
        rtol: float = 1e-3,
        atol: float = 0.0,
        max_iter: int = 10_000,
        time_limit: float | None = None,
    ) -> None:
        super().__init__(rtol, atol, max_iter, time_limit)
        self.solvers = solvers

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return " -> ".join(solver.name for solver in self.solvers)

    @property
    def stages(self) -> Sequence[Solver]:
        return tuple(self.solvers)

    @property
    def needs_labels(self) -> bool:
        return any(solver.needs_labels for solver in self.solvers)

    rescaling, loss = _of_first("rescaling"), _of_first("loss")
    slack_per_example = _of_first("slack_per_example")

    def begin(self, program: Program, start: Start) -> Algorithm:
        return self.solvers[0].begin(program, start)

    def check_parameters(self, problem: Problem, C: float) -> None:
        self._check_solvers()
        super().check_parameters(problem, C)
        for solver in self.solvers:
            solver.check_parameters(problem, C)

    def _check_solvers(self) -> None:
        solvers: Any = self.solvers
        if not isinstance(solvers, (list, tuple)) or not solvers:
            raise TypeError(
                f"solvers must be a list of at least one solver object; got {brief(solvers)}"
            )
        for solver in solvers:
            if not isinstance(solver, Solver) or isinstance(solver, Plan):
                raise TypeError(
                    "solvers must be a list of solver objects such as SmoothedLBFGS(), other than "
                    f"plans; got {brief(solver)}"
                )
            own = type(solver)()
            for limit in LIMITS:
                if getattr(solver, limit) != getattr(own, limit):
                    raise ValueError(
                        f"a plan has one {limit} for all its solvers: write Plan([...], "
                        f"{limit}={getattr(solver, limit)!r}) in place of {solver!r:.80}"
                    )
        for kind, rule in SHARED.items():
            if len({getattr(solver, kind) for solver in solvers}) > 1:
                raise ValueError(
                    f"the solvers of a plan must {rule}; here "
                    f"{', '.join(f'{s.name} has {kind}={getattr(s, kind)}' for s in solvers)}: "
                    "leave one of them out"
                )
