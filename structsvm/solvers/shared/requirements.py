"""Requirements of solvers, as data: the check, its message and the choice of 'auto' follow."""

from __future__ import annotations

from typing import Any, NamedTuple

from structsvm.contract.capabilities import offers, oracle_is_exact
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem


class Requirements(NamedTuple):
    """The needs of a solver.

    Attributes
    ----------
    methods : tuple of str or tuple of str
        Optional methods of the contract; a tuple stands for alternatives.
    exact : bool
        Whether the oracle must be exact.
    unconstrained : bool
        Whether there may be no constraints and no bounds on w.
    known_outputs : bool
        Whether Y is needed; else the problem must be self-labelled, and Y may be missing.
    """

    methods: tuple[str | tuple[str, ...], ...] = ()
    exact: bool = False
    unconstrained: bool = False
    known_outputs: bool = True

    @property
    def alternatives(self) -> list[tuple[str, ...]]:
        """The methods that may take each other's place, for each that is needed."""
        return [(one,) if isinstance(one, str) else one for one in self.methods]

    def error(self, problem: Problem, solver: str) -> Exception | None:
        """The error for a problem that does not meet all, known before it is initialized."""
        name = type(problem).__name__
        instead = "use OneSlackCuttingPlane"
        if not (self.known_outputs or isinstance(problem, SelfLabelledProblem)):
            return TypeError(
                f"{solver} needs a SelfLabelledProblem; {name} has known outputs: {instead}"
            )
        if self.known_outputs and self.methods and isinstance(problem, SelfLabelledProblem):
            return TypeError(
                f"{solver} needs known outputs; {name} is self-labelled: use CCCP or SmoothedCCCP"
            )
        for alternatives in self.alternatives:
            if not any(offers(problem, one) for one in alternatives):
                return TypeError(
                    f"{solver} needs {' or '.join(alternatives)}, which {name} does not define: "
                    f"define it, or {instead}"
                )
        if self.exact and not oracle_is_exact(problem):
            return ValueError(
                f"{solver} needs an exact oracle; {name} declares oracle_quality "
                f"{problem.oracle_quality!r}: {instead}"
            )
        return None

    def are_met(self, problem: Problem) -> bool:
        """Whether the problem meets all, as far as is known before it is initialized."""
        bounded = offers(problem, "constraints") or offers(problem, "lower_bounds")
        return self.error(problem, "") is None and not (self.unconstrained and bounded)

    def described(self) -> str:
        """All requirements in words, for tables."""
        words: list[Any] = [
            " or ".join(f"`{one}`" for one in alternatives) for alternatives in self.alternatives
        ]
        words += ["an exact oracle"] if self.exact else []
        words += ["no constraints or bounds on w"] if self.unconstrained else []
        words += [] if self.known_outputs else ["a `SelfLabelledProblem`"]
        return ", ".join(words) or "nothing more than the four methods"
