"""Variables of programs: bounds, and which are integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_numbers
from structsvm.problems.programs.search import BINARY, Domain


class Variables:
    """m variables with bounds, integers or real numbers.

    Parameters
    ----------
    m : int
    lower, upper : float or array-like of shape (m,)
        Bounds, which may be infinite.
    integrality : {0, 1} or array-like of shape (m,)
        1 for integers.
    """

    def __init__(self, m: int, lower: Any, upper: Any, integrality: Any) -> None:
        self.integral = _for_each("integrality", integrality, m) != 0
        if not np.isin(integrality, (0, 1)).all():
            raise ValueError(
                "integrality must be 1 for integers and 0 for real numbers; got "
                f"{integrality!r:.60}"
            )
        lower, upper = _for_each("lower", lower, m), _for_each("upper", upper, m)
        self.lower = np.where(self.integral, np.ceil(lower), lower)
        self.upper = np.where(self.integral, np.floor(upper), upper)
        crossed = np.flatnonzero(~(self.lower <= self.upper))
        if len(crossed):
            i = crossed[0]
            raise ValueError(
                f"lower must be at most upper; for variable {i} they are {lower[i]:g} and "
                f"{upper[i]:g}" + (", with no integer between" if lower[i] <= upper[i] else "")
            )

    @property
    def are_binary(self) -> bool:
        """Whether all are 0 or 1."""
        return bool((self.integral & (self.lower == 0) & (self.upper == 1)).all())

    @property
    def domain(self) -> Domain:
        """The variables as the search takes them."""
        integrality = self.integral.astype(int)
        return Domain(self.lower, self.upper, integrality, "vector within the bounds")

    def values(self) -> list[Vector]:
        """All values of each; a NotImplementedError where there are infinitely many."""
        if not (self.integral & np.isfinite(self.lower) & np.isfinite(self.upper)).all():
            raise NotImplementedError(
                "decisions are listed only where all variables are integers with finite bounds"
            )
        bounds = zip(self.lower, self.upper, strict=True)
        return [np.arange(low, high + 1) for low, high in bounds]

    def rounded(self, found: Vector) -> Vector:
        """A solution with integers that are such, within the bounds."""
        # Adding 0 makes 0 of -0.
        values = np.where(self.integral, found.round(), found) + 0.0
        return np.clip(values, self.lower, self.upper)

    def with_integers(self, decision: Vector) -> Variables:
        """Variables of which the integers have the values of a decision, and no others."""
        lower = np.where(self.integral, decision, self.lower)
        upper = np.where(self.integral, decision, self.upper)
        return Variables(len(decision), lower, upper, np.zeros(len(decision)))

    def require(self, decision: Any) -> None:
        """Raise a ValueError unless a decision is within the bounds, its integers being such."""
        values = checked_numbers("the decision", decision)
        if values.shape != self.lower.shape:
            raise ValueError(
                f"the decision must be of shape {self.lower.shape}; got shape {values.shape}"
            )
        within = (values >= self.lower - BINARY) & (values <= self.upper + BINARY)
        with np.errstate(invalid="ignore"):
            whole = ~self.integral | (np.abs(values - values.round()) <= BINARY)
        wrong = np.flatnonzero(~(within & whole & np.isfinite(values)))
        if len(wrong):
            i = wrong[0]
            kind = "an integer" if self.integral[i] else "a number"
            raise ValueError(
                f"the decision must have {kind} from {self.lower[i]:g} to {self.upper[i]:g} for "
                f"variable {i}; got {values[i]:g}"
            )


def _for_each(name: str, values: Any, m: int) -> Vector:
    """A number for each variable, of one for all or one for each."""
    numbers = checked_numbers(name, values)
    if numbers.shape not in ((), (m,)) or np.isnan(numbers).any():
        raise ValueError(
            f"{name} must be a number, or one for each of {m} variables, not NaN; got shape "
            f"{numbers.shape}"
        )
    return np.broadcast_to(numbers, (m,))
