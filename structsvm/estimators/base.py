"""Base classes of the estimators that have a solver."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import joblib
import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.estimators.early_stopping import HoldsOut
from structsvm.estimators.own_methods import OwnMethods
from structsvm.exceptions import warn_user
from structsvm.results.callbacks import Callbacks
from structsvm.results.html import ShowsResult
from structsvm.results.result import Result
from structsvm.results.status import Outcome, Status
from structsvm.solvers.auto import Choice, choose_solver, chosen_solver, given_solver
from structsvm.solvers.shared.solver import Solver

logger = logging.getLogger(__name__)


def warn_unless_converged(result: Outcome) -> None:
    """Warn with the status, by a ConvergenceWarning, where a run stopped early."""
    if result.status not in (Status.CONVERGED, Status.STOPPED, Status.EARLY_STOPPED):
        warn_user(
            f"{result.status.name}: {result.message} (gap {result.gap:.3g}, tolerance "
            f"{result.tolerance:.3g}, primal {result.primal:.6g})",
            ConvergenceWarning,
        )


class SolverEstimator(OwnMethods, ShowsResult):
    """Base class of the estimators with a solver, and with limits for the one 'auto' chooses."""

    solver: Any
    rtol: float | None
    max_iter: int | None
    time_limit: float | None
    warm_start: bool
    result_: Result
    n_iter_: int

    def set_params(self, **params: Any) -> Any:
        """Set parameters; see scikit-learn's ``BaseEstimator``.

        Raises
        ------
        ValueError
            There is no such parameter, as ``solver__rtol`` where the solver is 'auto'.
        """
        solver = params.get("solver", self.solver)
        nested = [name for name in params if name.startswith("solver__")]
        if nested and isinstance(solver, str):
            name = nested[0].removeprefix("solver__")
            argument = f"{name}={params[nested[0]]!r}"
            here = f"{argument}, or " if name in self.get_params(deep=False) else ""
            raise ValueError(
                f"{nested[0]} is a parameter of a solver object, but solver={solver!r}: write "
                f"{here}a solver with this parameter, such as "
                f"solver=OneSlackCuttingPlane({argument})"
            )
        return super().set_params(**params)

    def _resolved_solver(self, problem: Problem, X: Any, Y: Any) -> Solver:
        """The solver given, or for 'auto' the one chosen for this problem and data."""
        limits = {"rtol": self.rtol, "max_iter": self.max_iter, "time_limit": self.time_limit}
        given = {name: value for name, value in limits.items() if value is not None}
        if isinstance(self.solver, str) and self.solver == "auto":
            return chosen_solver(self._choice(problem, X, Y), given)
        return given_solver(self.solver, given)

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        """The solver that 'auto' stands for, with the defaults of this estimator."""
        return choose_solver(problem, X, Y)

    def _start(self, problem: Problem, X: Any, Y: Any, w: Vector | None) -> dict[str, Any]:
        """The w of the last fit, for a warm start; its planes too where the data are the same."""
        if not self.warm_start:
            return {"w0": None}
        before, self._given = getattr(self, "_trained_on_hash", None), _hash((problem, X, Y))
        same = before is not None and before == self._given
        # Labels that a self-labelled problem has imputed would be others.
        if w is not None and same and self.result_.labels is None:
            return {"w0": None, "warm_start": self.result_}
        return {"w0": w}

    def _keep_result(self, result: Result) -> None:
        """Store the result, and for a warm start a hash of the data that it is for."""
        self.result_, self.n_iter_ = result, result.iterations
        self._trained_on_hash = self.__dict__.pop("_given", None)


class StructuredEstimator(HoldsOut, SolverEstimator):
    """Base class of the estimators that train a problem by a solver, and can stop early.

    Attributes
    ----------
    w_ : ndarray of shape (size_joint_feature,)
        The weights.
    problem_ : Problem
        The problem, initialized.
    result_ : Result
        Objective, gap, status and guarantee.
    n_iter_ : int
        Passes over the data.
    """

    C: Any
    n_jobs: int | None
    verbose: bool
    callback: Callbacks = None
    #: Tolerance of the solver that 'auto' chooses, where it is not that solver's own.
    default_rtol: float | None = None

    def _run_options(self, problem: Problem, X: Any, Y: Any) -> dict[str, Any]:
        """Arguments of ``solve_in_place`` that are parameters of the estimator."""
        return {
            "C": self.C,
            **self._start(problem, X, Y, getattr(self, "w_", None)),
            "callback": self.callback,
            "n_jobs": self.n_jobs,
            "verbose": self.verbose,
        }

    def _keep(self, problem: Problem, result: Result) -> None:
        """Store what was trained."""
        self.problem_, self.w_ = problem, result.w
        self._keep_result(result)
        warn_unless_converged(result)

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        choice, seed = super()._choice(problem, X, Y), self.random_state
        if hasattr(choice.solver, "random_state"):
            if isinstance(seed, np.random.RandomState):  # solvers draw by a Generator
                seed = seed.randint(2**31 - 1)
            choice.solver.set_params(random_state=seed)
        if self.default_rtol is not None:
            choice.solver.set_params(rtol=self.default_rtol)
        return choice


def _hash(data: Any) -> str | None:
    """A hash of the data; None where they cannot be pickled."""
    try:
        return str(joblib.hash(data))
    except Exception as error:
        logger.debug("the data of this fit cannot be compared with those of others: %s", error)
        return None


def chosen_C(C: Any, automatic: Callable[[], float]) -> Any:
    """C, or where that is 'auto' what ``automatic`` returns."""
    return automatic() if isinstance(C, str) and C == "auto" else C


def one_thread_if_sparse(rows: Any) -> AbstractContextManager[Any]:
    """A context in which BLAS has one thread, where products with the rows do not need it.

    Its threads would wait in turns for the short operations on vectors that are left.
    """
    return threadpool_limits(1, user_api="blas") if sparse.issparse(rows) else nullcontext()
