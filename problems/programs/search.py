"""Find the best solution of a program by HiGHS or the user's solver, or explain why none exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import Bounds, milp

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_callable, require_number, require_option
from structsvm.exceptions import InputError
from structsvm.problems.programs.constraints import Constraints
from structsvm.problems.programs.relaxation import Relaxation, imported_highspy

#: The quality of a search: it finds the best solution, or may miss it.
Quality = Literal["exact", "undergenerating"]
#: A callable solver(scores, constraint, start) that returns a 0/1 vector; or HiGHS by highspy.
Solver = Callable[[Vector, Any, Any], Any] | Literal["highspy"]

#: Largest distance of a solver's numbers from 0 or 1: the tolerance of HiGHS.
BINARY = 1e-5
#: The largest score in a call of HiGHS, whose tolerances are absolute, 1e-6 for the objective.
LARGEST = 1e6
#: Error of HiGHS relative to the largest score, as :attr:`Problem.roundoff`.
ROUNDOFF = 1e-12
#: If the largest score of undecided variables, relative to all scores, is above this, they are
#: solved accurately enough.
SPREAD = 0.1
#: Seconds for each test of whether sets of constraints contradict each other.
PATIENCE = 10.0
#: The statuses of ``scipy.optimize.milp`` for a limit, and for a program without solutions.
LIMIT, INFEASIBLE = 1, 2


def require_limits(
    time_limit: Any,
    mip_rel_gap: Any,
    solver: Any,
    names: tuple[str, str] = ("time_limit", "solver"),
) -> None:
    """Raise an error if the solver, or a limit of the search by HiGHS, is invalid.

    ``names`` are the user's names for ``time_limit`` and ``solver``.
    """
    if time_limit is not None:
        require_number(names[0], time_limit, "> 0")
    require_number("mip_rel_gap", mip_rel_gap, ">= 0")
    if isinstance(solver, str):
        require_option(names[1], solver, ("highspy",))
        imported_highspy(names[1])
        return
    require_callable(names[1], solver)
    if solver is not None and (time_limit, mip_rel_gap) != (None, 0):
        raise ValueError(
            f"{names[0]} and mip_rel_gap are limits of HiGHS, which a function as {names[1]} does "
            "not get: leave them out, and limit the function itself"
        )
    require_option("oracle_quality", quality(None, 0.0, solver), ("exact", "undergenerating"))


def quality(time_limit: Any, mip_rel_gap: Any, solver: Any) -> Quality:
    """Return the oracle quality that the user's solver declares, or that the limits imply."""
    if callable(solver):
        return getattr(solver, "oracle_quality", "exact")
    return "undergenerating" if time_limit is not None or mip_rel_gap != 0 else "exact"


@dataclass(frozen=True, eq=False)
class Domain:
    """The allowed values: the same for all variables, or separate for each variable.

    Attributes
    ----------
    lower, upper : float or ndarray of shape (v,)
        The bounds of the variables, which may be infinite.
    integrality : int or ndarray of shape (v,)
        1 for integer variables, 0 for real variables.
    vectors : str
        The name of a vector of allowed values, for error messages.
    """

    lower: Any = 0.0
    upper: Any = 1.0
    integrality: Any = 1
    vectors: str = "0/1 vector"


UNIT = Domain()
RELAXED = Domain(integrality=0)


def solved(
    program: Constraints,
    scores: Vector,
    domain: Domain = UNIT,
    time_limit: float | None = None,
    mip_rel_gap: float = 0.0,
    solver: Solver | None = None,
) -> Vector:
    """Return the unrounded solution of largest score, by HiGHS or 'highspy'."""
    largest = float(max(scores.max(), -scores.min())) or 1.0
    costs = scores / largest * -LARGEST
    options: dict[str, Any] = {"mip_rel_gap": float(mip_rel_gap)}
    if time_limit is not None:
        # Half of the time is for relaxations that are kept, and half for a search without them.
        options["time_limit"] = float(time_limit) / (2 if solver == "highspy" else 1)
    if solver == "highspy" and np.isfinite(largest):
        found = Relaxation.of(program).best(costs, domain, options.get("time_limit"))
        if found is not None:
            return found
    answer = _milp(program, costs, domain, options)
    if answer.x is not None:
        return np.asarray(answer.x)
    if answer.status == LIMIT:
        raise InputError(
            f"HiGHS found no solution within time_limit={time_limit} (mip_time_limit of "
            "IntegerProgramSVM); raise it, or give a solver that finds one sooner"
        )
    if reason := contradiction(program, domain):
        raise InputError(reason)
    if "unbounded" in answer.message.lower():
        raise InputError(
            "there is no best solution, for some improve without limit; give all variables finite "
            "bounds, or add constraints"
        )
    raise ValueError(f"HiGHS did not solve it: {answer.message}")


def best(
    program: Constraints, scores: Vector, solver: Solver | None, start: Any, **options: Any
) -> Any:
    """Return the 0/1 vector of largest score, found by HiGHS or by the user's solver.

    ``start`` is a solution of the program to start from, or None. ``options`` are limits of HiGHS.
    """
    if not callable(solver):
        y = binary(program, solved(program, scores, solver=solver, **options), "HiGHS")
        return y if any(options.values()) else polished(program, scores, y, solver)
    start = None if start is None else np.array(start)
    found = solver(scores.copy(), program.constraint, start)
    return binary(program, found, getattr(solver, "__name__", type(solver).__name__))


def polished(program: Constraints, scores: Vector, y: Any, solver: Solver | None) -> Any:
    """Solve the program again for variables with scores far smaller than the largest score.

    The sum of all positive scores is an upper bound on the total score of a solution. A variable is
    called decided if its absolute score exceeds the sum of all positive scores minus the total
    score of ``y``. Every solution that changes a decided variable has a lower total score than
    ``y``. Decided variables keep their values in ``y``. If the scores of the undecided variables
    are far smaller than the largest score, the program is solved again for the undecided variables.
    """
    sizes = np.abs(scores)
    size = sizes.max()
    while True:
        undecided = sizes <= sizes @ (y != (scores > 0))
        largest = sizes[undecided].max(initial=0.0)
        if largest == 0 or largest >= SPREAD * size:
            return y
        size, rest = largest, np.where(undecided, scores, 0.0)
        free = Domain(np.where(undecided, 0, y), np.where(undecided, 1, y))
        y = binary(program, solved(program, rest, free, solver=solver), "HiGHS")


def binary(program: Constraints, found: Any, name: str) -> Any:
    """Check that the solver's answer is a feasible 0/1 vector; return integers."""
    try:
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (program.n_variables,):
        raise ValueError(
            f"the solver {name} must return {program.n_variables} numbers, 0 or 1 for each "
            f"variable; it returned {found!r:.60}"
        )
    y = (values > 0.5).astype(np.float64)
    near = np.abs(values - y) <= BINARY
    if not near.all():
        i = int(np.argmin(near))
        raise ValueError(f"the solver {name} returned {values[i]} for variable {i}, not 0 or 1")
    program.require_feasible(y, f"the answer of the solver {name}")
    return y.astype(np.int64)


def contradiction(program: Constraints, domain: Domain = UNIT) -> str:
    """Name the sets of constraints that no vector satisfies; return '' if a vector does.

    Sets of constraints that do not contribute to the contradiction are not named.
    """
    if not _is_infeasible(program, domain):
        return ""
    for name in list(program.names):
        fewer = program.without([name])
        if _is_infeasible(fewer, domain):
            program = fewer
    names = [repr(name) for name in program.names]
    none = f"there is no solution: no {domain.vectors} satisfies the constraint set"
    if len(names) == 1:
        return f"{none} {names[0]}"
    return f"{none}s {', '.join(names[:-1])} and {names[-1]} together"


def _is_infeasible(program: Constraints, domain: Domain) -> bool:
    answer = _milp(program, np.zeros(program.n_variables), domain, {"time_limit": PATIENCE})
    return bool(answer.status == INFEASIBLE)


def _milp(program: Constraints, costs: Vector, domain: Domain, options: dict[str, Any]) -> Any:
    return milp(
        costs,
        integrality=domain.integrality,
        bounds=Bounds(domain.lower, domain.upper),
        constraints=program.constraint,
        options=options,
    )
