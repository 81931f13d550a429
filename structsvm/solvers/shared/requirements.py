"""Requirements of solvers, used in checks, in error messages and by ``solver='auto'``."""

from __future__ import annotations

from typing import Any, NamedTuple

from structsvm.contract.capabilities import oracle_is_exact
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem


class Requirements(NamedTuple):
    """A solver's requirements on the problem and its task.

    Attributes
    ----------
    problem : tuple of str
        Methods that the solver needs but not every problem defines.
    task : tuple of str
        Methods that the solver needs but not every task defines.
    exact : bool
        Whether the oracle must be exact.
    unconstrained : bool
        Whether the problem must be without constraints and bounds on w.
    known_outputs : bool
        Whether Y is needed. If False, the problem must be self-labelled, and Y may be None.
    """

    problem: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    exact: bool = False
    unconstrained: bool = False
    known_outputs: bool = True

    def error(self, problem: Problem, solver: str) -> Exception | None:
        """Return the error if a problem, initialized or not, is unsuitable, and None otherwise."""
        name = type(problem).__name__
        instead = "use OneSlackCuttingPlane"
        if not (self.known_outputs or isinstance(problem, SelfLabelledProblem)):
            return TypeError(
                f"{solver} needs a SelfLabelledProblem; {name} has known outputs: {instead}"
            )
        if self.known_outputs and self.problem and isinstance(problem, SelfLabelledProblem):
            return TypeError(
                f"{solver} needs known outputs; {name} is self-labelled: use CCCP or SmoothedCCCP"
            )
        for method in self.problem:
            if getattr(problem, method) is None:
                return _lacking(solver, method, name)
        if self.exact and not oracle_is_exact(problem):
            return ValueError(
                f"{solver} needs an exact oracle; {name} declares oracle_quality "
                f"{problem.oracle_quality!r}: {instead}"
            )
        return None

    def error_of_task(self, task: Any, solver: str) -> Exception | None:
        """Return the error for a task without a required method, or None if all are defined."""
        for method in self.task:
            if getattr(task, method) is None:
                return _lacking(solver, method, type(task).__name__)
        return None

    def are_met(self, problem: Problem) -> bool:
        """Whether a problem, which need not be initialized, meets the requirements."""
        free = problem.constraints is None or not self.unconstrained
        return self.error(problem, "") is None and free

    def described(self) -> str:
        """Return a description of all requirements, for tables."""
        words = [f"`{method}`" for method in self.problem]
        words += [f"`{method}` of its task" for method in self.task]
        words += ["an exact oracle"] if self.exact else []
        words += ["no constraints or bounds on w"] if self.unconstrained else []
        words += [] if self.known_outputs else ["a `SelfLabelledProblem`"]
        return ", ".join(words) or "nothing more than the four methods"


def _lacking(solver: str, method: str, name: str) -> TypeError:
    return TypeError(
        f"{solver} needs {method}, which {name} does not define: define it, or use "
        "OneSlackCuttingPlane"
    )
