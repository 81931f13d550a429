"""Mixed-integer linear programs with fixed constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, get_args

import numpy as np
from scipy.optimize import LinearConstraint

from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_numbers
from structsvm.data.validation import require_integer, require_option
from structsvm.problems.decisions.optimizers.base import Sense
from structsvm.problems.decisions.optimizers.costs import CheckedOptimizer, one_by_one
from structsvm.problems.decisions.optimizers.pair_flips import PairFlips
from structsvm.problems.programs.constraints import Constraints
from structsvm.problems.programs.search import (
    BINARY,
    Domain,
    Solver,
    best,
    quality,
    require_limits,
    solved,
)


@dataclass(eq=False, repr=False)
class MixedIntegerProgram(CheckedOptimizer):
    """A mixed-integer linear program, which finds the best z that satisfies linear constraints.

    The constraints are the same for all costs. By default the variables are 0 or 1.

    Parameters
    ----------
    constraints : constraint, list or dict of constraints
        A constraint is a pair (A, b) for A z <= b, or a ``scipy.optimize.LinearConstraint``, which
        may also have lower bounds and equalities. A is dense or scipy.sparse, of shape (r, m).
        Error messages name the constraints of a dict by their keys.
    n_costs : int, optional
        The number of variables m, by default the number of columns of A. ``n_costs`` is required
        only if there are no constraints.
    lower, upper : float or array-like of shape (m,), default=0 and 1
        Bounds, which may be infinite: one number for all variables, or a number for each variable.
    integrality : {0, 1} or array-like of shape (m,), default=1
        1 for integer variables, 0 for real variables.
    solver : 'highspy' or callable, optional
        The solver that replaces ``scipy.optimize.milp``, as in
        :class:`structsvm.problems.IntegerProgram`. 'highspy' keeps the linear relaxation, and
        starts each search from the last solution. For 0/1 variables the solver may be a function:
        ``solver(scores, constraint, start)`` returns the feasible 0/1 vector z of largest ``scores
        @ z``; ``start`` is None. With a function, ``time_limit`` and ``mip_rel_gap`` must not be
        set. A function that may miss the best solution needs the attribute ``oracle_quality =
        "undergenerating"``.
    time_limit : float, optional
        Seconds, > 0, after which HiGHS returns the best solution so far, or raises an error if it
        has no solution. With a time limit the optimizer is 'undergenerating'.
    mip_rel_gap : float, default=0.0
        Relative gap, >= 0, at which HiGHS may stop. With a gap > 0 the optimizer is
        'undergenerating'.
    sense : {'min', 'max'}, default='min'
        Whether the best decision has the least or the largest value.

    Raises
    ------
    ValueError
        If the constraints or bounds have wrong forms. A call of the optimizer raises a ValueError
        if no solution exists, if no solution is found within the time limit, or if the value is
        unbounded.

    Notes
    -----
    HiGHS (``scipy.optimize.milp``) has absolute tolerances, so costs are scaled to a largest
    absolute value of 1e6. The error of the solution's value is about 1e-12 of the largest cost.
    Some versions of HiGHS print lines that begin with ``HighsMipSolverData``; no option turns these
    lines off.

    Examples
    --------
    A program that chooses at most two of three variables, and the third only together with the
    first:

    >>> from structsvm.problems.decisions.optimizers import MixedIntegerProgram
    >>> constraints = {"size": ([[1, 1, 1]], [2]), "order": ([[-1, 0, 1]], [0])}
    >>> MixedIntegerProgram(constraints, sense="max")([-1.0, 1.0, 3.0])
    array([1., 0., 1.])

    A program that divides 1 into three shares of at most 0.6:

    >>> from scipy.optimize import LinearConstraint
    >>> total = LinearConstraint([[1, 1, 1]], 1, 1)
    >>> MixedIntegerProgram(total, upper=0.6, integrality=0)([2.0, 1.0, 3.0])
    array([0.4, 0.6, 0. ])
    """

    constraints: Any
    n_costs: int | None = None  # type: ignore[assignment]  # __post_init__ sets a number
    lower: Any = 0
    upper: Any = 1
    integrality: Any = 1
    solver: Solver | None = None
    time_limit: float | None = None
    mip_rel_gap: float = 0.0
    sense: Sense = "min"

    def __post_init__(self) -> None:
        require_limits(self.time_limit, self.mip_rel_gap, self.solver)
        require_option("sense", self.sense, get_args(Sense))
        if self.n_costs is not None:
            require_integer("n_costs", self.n_costs, 1)
        self._constraints = Constraints.checked(self.constraints, self.n_costs)
        self.n_costs = self._constraints.n_variables
        if not self.n_costs:
            raise ValueError("n_costs must be given where there are no constraints; it is None")
        self.oracle_quality = quality(self.time_limit, self.mip_rel_gap, self.solver)
        self._domain = domain = _checked_domain(
            self.n_costs, self.lower, self.upper, self.integrality
        )
        self._are_binary = bool(
            (domain.integrality & (domain.lower == 0) & (domain.upper == 1)).all()
        )
        self._flips = PairFlips.of(self._constraints) if self._are_binary else None
        if callable(self.solver) and not self._are_binary:
            raise ValueError(
                "a function as solver takes 0/1 variables only: with others leave it None, or give "
                "'highspy'"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Return the arguments; a ``LinearConstraint`` becomes a tuple, which files can store."""
        state = super().__getstate__()
        return {**state, "constraints": _each(_parts_of, state["constraints"])}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "constraints": _each(_from_parts, state["constraints"])})

    def decisions(self) -> Iterable[Vector]:
        """Return all solutions, if all variables are integers with finite bounds.

        Raises
        ------
        NotImplementedError
            If a variable is a real number or has an infinite bound.
        """
        lower, upper = self._domain.lower, self._domain.upper
        if not (self._domain.integrality & np.isfinite(lower) & np.isfinite(upper)).all():
            raise NotImplementedError(
                "decisions are listed only where all variables are integers with finite bounds"
            )
        values = (np.arange(low, high + 1) for low, high in zip(lower, upper, strict=True))
        vectors = map(np.array, product(*values))
        return (z for z in vectors if not len(self._constraints.violations(z)))

    def require_feasible(self, decision: Any) -> None:
        """Raise a ValueError unless the decision satisfies the constraints and the bounds."""
        _require_within(self._domain, decision)
        self._constraints.require_feasible(np.asarray(decision), "the decision")

    def improve(self, costs: Vector, decisions: Vector) -> Vector:
        """Improve 0/1 decisions by flips of one or two entries, unless there are too many pairs."""
        scores = costs if self.sense == "max" else -costs
        return decisions if self._flips is None else self._flips(scores, decisions)

    def _solve(self, costs: Vector) -> Vector:
        return one_by_one(self._best, costs if self.sense == "max" else -costs)

    def _best(self, scores: Vector) -> Vector:
        """Return the solution of largest score."""
        options: Any = {"time_limit": self.time_limit, "mip_rel_gap": self.mip_rel_gap}
        if self._are_binary:
            return np.asarray(best(self._constraints, scores, self.solver, None, **options))
        options["solver"] = self.solver
        domain = self._domain
        decision = _rounded(solved(self._constraints, scores, domain, **options), domain)
        if len(self._constraints.violations(decision)):  # that of rounding integers
            whole = domain.integrality
            lower, upper = (
                np.where(whole, decision, bound) for bound in (domain.lower, domain.upper)
            )
            others = replace(domain, lower=lower, upper=upper, integrality=np.zeros_like(whole))
            decision = _rounded(solved(self._constraints, scores, others), domain)
        self._constraints.require_feasible(decision, "the answer of HiGHS")
        return decision


def _checked_domain(m: int, lower: Any, upper: Any, integrality: Any) -> Domain:
    """Return the domain of m variables; bounds of integer variables are rounded to integers."""
    if not np.isin(integrality, (0, 1)).all():
        raise ValueError(
            f"integrality must be 1 for integers and 0 for real numbers; got {integrality!r:.60}"
        )
    lower, upper = _for_each("lower", lower, m), _for_each("upper", upper, m)
    whole = _for_each("integrality", integrality, m)
    least, most = np.where(whole, np.ceil(lower), lower), np.where(whole, np.floor(upper), upper)
    crossed = np.flatnonzero(~(least <= most))
    if len(crossed):
        i = crossed[0]
        raise ValueError(
            f"lower must be at most upper; for variable {i} they are {lower[i]:g} and {upper[i]:g}"
            + (", with no integer between" if lower[i] <= upper[i] else "")
        )
    return Domain(least, most, whole != 0, "vector within the bounds")


def _for_each(name: str, values: Any, m: int) -> Vector:
    """Return an array with a number for each variable; repeat a single number for all variables."""
    numbers = checked_numbers(name, values)
    if numbers.shape not in ((), (m,)) or np.isnan(numbers).any():
        raise ValueError(
            f"{name} must be a number, or one for each of {m} variables, not NaN; got shape "
            f"{numbers.shape}"
        )
    return np.broadcast_to(numbers, (m,))


def _rounded(found: Vector, domain: Domain) -> Vector:
    """Round the integer variables of a solution, and clip all variables to their bounds."""
    # Adding 0 makes 0 of -0.
    values = np.where(domain.integrality, found.round(), found) + 0.0
    return np.clip(values, domain.lower, domain.upper)


def _require_within(domain: Domain, decision: Any) -> None:
    """Raise a ValueError if a decision violates its bounds or an integer variable is fractional."""
    values, whole = checked_numbers("the decision", decision), domain.integrality
    if values.shape != whole.shape:
        raise ValueError(f"the decision must be of shape {whole.shape}; got shape {values.shape}")
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero(~(np.abs(values - _rounded(values, domain)) <= BINARY))
    if len(wrong):
        i = wrong[0]
        raise ValueError(
            f"the decision must have {'an integer' if whole[i] else 'a number'} from "
            f"{domain.lower[i]:g} to {domain.upper[i]:g} for variable {i}; got {values[i]:g}"
        )


def _each(function: Callable[[Any], Any], constraints: Any) -> Any:
    """Apply a function to each constraint; return a container of the same type."""
    if isinstance(constraints, Mapping):
        return {name: function(given) for name, given in constraints.items()}
    if isinstance(constraints, list):
        return [function(given) for given in constraints]
    return function(constraints)


def _parts_of(given: Any) -> Any:
    return (given.A, given.lb, given.ub) if isinstance(given, LinearConstraint) else given


def _from_parts(given: Any) -> Any:
    return LinearConstraint(*given) if isinstance(given, tuple) and len(given) == 3 else given
