"""The outcome of an optimisation, with its status, guarantee and history."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from structsvm.contract.problem import OracleQuality, Problem
from structsvm.results.html import curve, table
from structsvm.saving.models import Savable


class Status(Enum):
    """The reason why a run ended.

    The result's ``message`` says what the user can do.
    """

    CONVERGED = "the duality gap is within the tolerance"
    MAX_ITER = (
        "max_iter was reached first; raise max_iter, or the tolerance if this gap is good enough"
    )
    TIME_LIMIT = (
        "time_limit was reached first; raise it, or the tolerance if this gap is good enough"
    )
    INTERRUPTED = "interrupted from the keyboard; this is the best found so far"
    STOPPED = "the callback asked to stop; this is the best found so far"
    EARLY_STOPPED = (
        "the score of the held-out examples rose no more; w is that of their highest score, which "
        "is optimal up to the gap only"
    )
    NUMERICAL = (
        "the gap is above the tolerance because of rounding errors, which it includes; raise the "
        "tolerance, accept this gap, or scale the features"
    )
    STALLED = (
        "further passes change w too little, and the gap is above the tolerance; raise the "
        "tolerance, or accept this gap"
    )
    QP_FAILED = (
        "the quadratic program over the working set could not be solved to a certified gap; "
        "scale the joint features to a norm near 1, or lower C"
    )

    @property
    def message(self) -> str:
        return self.value


class Iteration(NamedTuple):
    """The numbers of one pass, for the history and for callbacks.

    Attributes
    ----------
    iteration : int
        The number of the pass, counted from 1.
    primal : float
        The objective at the weights of the pass, plus a bound on the objective's rounding error.
        The value is infinite if the objective was not evaluated, or if the weights violate a
        constraint.
    best_primal : float
        The lowest objective up to this pass. The result contains the weights with the lowest
        objective.
    dual : float
        The value of the last dual solution, minus a bound on this value's rounding error. The value
        is 0 before the first dual solution (``dual_is_known``).
    gap : float
        The difference ``best_primal - dual``, which the stopping rule compares with the tolerance.
    n_planes : int
        Number of stored planes before the planes of this pass are added.
    oracle_calls : int
        Total number of oracle calls up to this pass.
    seconds : float
        Wall time in seconds since the start of the run.
    validation_score : float or None
        The score on the held-out examples with the weights of this pass; None if it was not
        computed.
    """

    iteration: int
    primal: float
    best_primal: float
    dual: float
    gap: float
    n_planes: int
    oracle_calls: int
    seconds: float
    validation_score: float | None = None

    @property
    def dual_is_known(self) -> bool:
        """Whether the dual value comes from a dual solution that has planes.

        A dual value of 0 belongs to the solution without planes, which remains if no better dual
        solution was computed.
        """
        return math.isfinite(self.dual) and self.dual != 0


class Guarantee(NamedTuple):
    """The bounds that follow from the oracle's quality (Finley & Joachims, ICML 2008).

    Attributes
    ----------
    upper_bound : bool
        Whether the primal value is an upper bound of the optimum.
    lower_bound : bool
        Whether the dual value is a lower bound of the optimum. If both the upper and the lower
        bound hold, the objective at w exceeds the optimum by at most the gap.
    text : str
        The guarantee in words.
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


def guarantee_of(problem: Problem, imputes: bool) -> Guarantee:
    """Return the guarantee that follows from the problem's declared oracle quality.

    The argument ``imputes`` says whether the solver imputed the labels.
    """
    supervised = _GUARANTEES[problem.oracle_quality]
    if not imputes:
        return supervised
    text = (
        "self-labelled, hence not convex: the primal is the objective at w and no global "
        "optimality is claimed; with the labels kept as they are, no w is better by more than "
        f"the gap ({supervised.text})"
    )
    return Guarantee(supervised.upper_bound, False, text)


@dataclass(frozen=True, repr=False)
class Outcome(Savable):
    """The outcome of a certified optimisation: its values, its guarantee and its history.

    Attributes
    ----------
    primal : float
        The lowest objective that was found.
    dual : float
        The value of the dual solution. The attribute ``guarantee`` says which of ``dual`` and
        ``primal`` are bounds.
    gap : float
        ``primal - dual``.
    tolerance : float
        The gap that the stopping rule allowed.
    status : Status
        The status, that is, the reason why the optimisation ended. The attribute ``message``
        explains in words why the optimisation ended.
    guarantee : Guarantee
        The bounds that hold.
    iterations : int
        Number of passes.
    oracle_calls : int
        Number of calls of the oracle.
    seconds : dict of str to float
        Wall times in seconds for each part of the run, and for the run as a whole ('total').
    history : tuple of Iteration
        One entry per pass.
    """

    primal: float
    dual: float
    gap: float
    tolerance: float
    status: Status
    guarantee: Guarantee
    iterations: int
    oracle_calls: int
    seconds: dict[str, float]
    history: tuple[Iteration, ...]

    @property
    def message(self) -> str:
        """The reason why the optimisation ended, and what to do about it."""
        return self.status.message

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes.

        The state holds the status by name, since skops loads no enumerations.
        """
        return {**vars(self), "status": self.status.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "status": Status[state["status"]]})

    def _rows(self) -> dict[str, Any]:
        """Return the rows of the table in ``_repr_html_``."""
        parts = ", ".join(
            f"{name} {seconds:.3g}" for name, seconds in self.seconds.items() if name != "total"
        )
        return {
            "status": f"{self.status.name}: {self.message}",
            "primal": f"{self.primal:.6g}",
            "dual": f"{self.dual:.6g}",
            "gap": f"{self.gap:.3g}",
            "tolerance": f"{self.tolerance:.3g}",
            "guarantee": self.guarantee.text,
            "iterations": self.iterations,
            "oracle calls": self.oracle_calls,
            "seconds": f"{self.seconds['total']:.3g}" + (f" ({parts})" if parts else ""),
        }

    def _repr_html_(self) -> str:
        """Return a table and the curve of the gap, for notebooks."""
        gaps = ((entry.iteration, entry.gap) for entry in self.history if entry.dual_is_known)
        return table(
            type(self).__name__, self._rows(), curve(gaps, "gap, pass by pass (log scale)")
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.status.name}, primal={self.primal:.6g}, "
            f"dual={self.dual:.6g}, gap={self.gap:.3g}, iterations={self.iterations})"
        )

    def __str__(self) -> str:
        plural = "" if self.iterations == 1 else "s"
        return (
            f"{self.status.name}: {self.message}\n"
            f"primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.3g} "
            f"(tolerance {self.tolerance:.3g}) after {self.iterations} iteration{plural}, "
            f"{self.oracle_calls} oracle calls, "
            f"{self.seconds['total']:.3g} s\n{self.guarantee.text}"
        )
