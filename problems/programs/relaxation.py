"""Searches by highspy, which store a program's relaxation and start from its last basis."""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.programs.constraints import Constraints

if TYPE_CHECKING:
    from structsvm.problems.programs.search import Domain

#: Relaxations of a search, at most. A program that needs more is left to HiGHS.
MOST = 30
#: Distance from integers up to which numbers of a relaxation are integers.
WHOLE = 1e-9
#: Largest gain, in units of the costs, for which no relaxation is solved: the gap of HiGHS.
GAP = 1e-6
#: Variables of the relaxations that a process keeps, at most. Each takes a kilobyte.
KEPT = 500_000
#: Variables that take as much memory as a relaxation without any.
EMPTY = 150

_kept: WeakKeyDictionary[Constraints, Relaxation] = WeakKeyDictionary()
_lock = Lock()


def imported_highspy(name: str) -> Any:
    """Import and return highspy; error messages use ``name`` as the name of the parameter."""
    try:
        return import_module("highspy")
    except ImportError:
        raise ImportError(
            f"{name}='highspy' needs highspy: pip install 'structured-svm[highspy]', or choose "
            "another solver (integer_solver of IntegerProgramSVM)"
        ) from None


class Relaxation:
    """The linear relaxation of a program: a model of HiGHS with variable costs and bounds.

    Parameters
    ----------
    program : Constraints
    """

    def __init__(self, program: Constraints) -> None:
        highspy = imported_highspy("solver")
        constraint, (m, n) = program.constraint, program.constraint.A.shape
        lp, A = highspy.HighsLp(), constraint.A
        lp.num_col_, lp.num_row_ = n, m
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros((3, n))
        lp.row_lower_, lp.row_upper_ = constraint.lb, constraint.ub
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data
        self._model, self._states = highspy.Highs(), highspy.HighsModelStatus
        self._model.setOptionValue("output_flag", False)
        self._model.passModel(lp)
        self._columns = np.arange(n, dtype=np.int32)
        self._lock = Lock()

    @classmethod
    def of(cls, program: Constraints) -> Relaxation:
        """Return the relaxation of a program; store it with the program if memory suffices."""
        with _lock:
            found = _kept.get(program) or cls(program)
            if len(_kept) * (EMPTY + program.n_variables) < KEPT:
                _kept[program] = found
            return found

    def best(self, costs: Vector, domain: Domain, seconds: float | None) -> Vector | None:
        """Return the solution of least cost by branching, or None if optimality is not proved.

        Each relaxation begins with the basis of the previous relaxation. All relaxations together
        take at most ``seconds``, unless ``seconds`` is None.
        """
        with self._lock:
            self._model.changeColsCost(len(costs), self._columns, costs)
            end = np.inf if seconds is None else self._model.getRunTime() + seconds
            self._model.setOptionValue("time_limit", end)
            shape = self._columns.shape
            lower, upper = (np.broadcast_to(ends, shape) for ends in (domain.lower, domain.upper))
            best, least, boxes = None, np.inf, [(lower, upper)]
            for _ in range(MOST):
                if not boxes:
                    return best
                lower, upper = boxes.pop()
                value = self._least(lower, upper)
                if value is None:
                    return None
                if value >= least - GAP:
                    continue
                # HiGHS lets numbers exceed bounds by its tolerance.
                values = np.clip(self._model.getSolution().col_value, lower, upper)
                distances = np.where(domain.integrality, np.abs(values - values.round()), 0.0)
                if distances.max() <= WHOLE:
                    best, least = values, value
                else:
                    boxes += _halves(lower, upper, values, int(distances.argmax()))
            return None

    def _least(self, lower: Vector, upper: Vector) -> float | None:
        """Return the least cost within bounds, infinity if infeasible, or None if unsolved."""
        self._model.changeColsBounds(len(lower), self._columns, lower, upper)
        self._model.run()
        found = self._model.getInfo().objective_function_value
        known = {self._states.kInfeasible: np.inf, self._states.kOptimal: found}
        return known.get(self._model.getModelStatus())


def _halves(lower: Vector, upper: Vector, values: Vector, i: int) -> list[tuple[Vector, Vector]]:
    """Branch on variable i; return the bounds of both branches, the one near ``values[i]`` last."""
    below, above = upper.copy(), lower.copy()
    below[i], above[i] = np.floor(values[i]), np.ceil(values[i])
    halves = [(lower, below), (above, upper)]
    return halves if values[i] - below[i] > 0.5 else halves[::-1]
