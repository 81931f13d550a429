"""Base class of the estimators that train a problem by a solver."""

from __future__ import annotations

import copy
import logging
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.declarations import require_outputs
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Self, Vector
from structsvm.data.fingerprints import fingerprint
from structsvm.data.names import difference
from structsvm.data.validation import checked_w, require_flag, require_number
from structsvm.estimators.cross_validation import Fold, searched
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.parameters import SolverParameters
from structsvm.exceptions import warn_user
from structsvm.objective.surrogate import Loss
from structsvm.oracle.setup import copied, initialize
from structsvm.results.html import ShowsResult
from structsvm.results.result import Result
from structsvm.results.status import Outcome, Status
from structsvm.solvers.auto import Choice, choose_solver, chosen_solver, given_solver
from structsvm.solvers.shared.solver import Solver

logger = logging.getLogger(__name__)

#: The name of the outputs in messages of problems and solvers; not a label 'Y'.
OUTPUTS = re.compile(r"(?<![\w'\"])Y(?![\w'\"])")


def warn_unless_converged(result: Outcome) -> None:
    """Warn with the status, by a ConvergenceWarning, where a run stopped early."""
    if result.status not in (Status.CONVERGED, Status.STOPPED, Status.EARLY_STOPPED):
        warn_user(
            f"{result.status.name}: {result.message} (gap {result.gap:.3g}, tolerance "
            f"{result.tolerance:.3g}, primal {result.primal:.6g})",
            ConvergenceWarning,
        )


@contextmanager
def outputs_called_y(kept: Any = None) -> Iterator[None]:
    """A context in which an error of a problem or solver calls the outputs y, not Y.

    An error leaves the attributes of an estimator that is to be ``kept`` as they were before.
    """
    before = None if kept is None else dict(vars(kept))
    try:
        yield
    except BaseException as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (OUTPUTS.sub("y", error.args[0]), *error.args[1:])
        if kept is not None:
            kept.__dict__ = before
        raise


class CarriesWeights:
    """Base class of the estimators whose weights may be the prior of another fit.

    An estimator that divides features, or shifts them, says by ``_weights_given`` and
    ``_weights_trained`` what that means for the weights.
    """

    w_: Vector
    problem_: Any
    #: During a fit, the estimator whose weights are the prior.
    _other: Any = None

    def _prior(self, given: Any, problem: Problem, data: Encoded) -> Vector | None:
        """The prior as the problem takes it, or a ValueError that says what does not fit."""
        if given is None:
            return None
        problem = copied(problem)
        initialize(problem, data.X, data.Y)
        if self._other is not None:
            return self._carried(self._other, problem)
        size = int(problem.size_joint_feature)
        if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__"):
            got = f"{given!r:.60}"
            if isinstance(given, Result):
                got = "a Result: give the estimator that it belongs to"
            raise ValueError(
                f"w_prior must be a fitted {type(self).__name__}, or an array of shape ({size},) "
                f"in the order of w_, for the features as they are given; got {got}"
            )
        return self._weights_trained(checked_w("w_prior", given, size), problem)

    def _source(self, given: Any) -> Any:
        """The estimator whose weights are the prior; None for other priors."""
        if not isinstance(given, BaseEstimator):
            return None
        if type(given) is not type(self):
            part = "best_estimator_" if hasattr(given, "best_estimator_") else "last step"
            outer = hasattr(given, "best_estimator_") or hasattr(given, "steps")
            raise ValueError(
                f"w_prior must be weights or a fitted {type(self).__name__}; got a "
                f"{type(given).__name__}{f': give its {part}' if outer else ''}"
            )
        check_is_fitted(given, "w_", msg="w_prior is a %(name)s that is not fitted")
        return copy.copy(given)  # it may be this one, whose attributes the fit overwrites

    def _carried(self, other: Any, problem: Problem) -> Vector:
        """The weights of another estimator, which was fitted to the same features and outputs."""
        here, there = self._layout(problem), other._layout(other.problem_)
        for what, value in here.items():
            before = there.get(what, value)
            if isinstance(value, int) and before != value:
                raise ValueError(
                    f"w_prior was fitted with {before} {what}; here are {value}. Fit it to the "
                    "same features and labels, with the same parameters, such as fit_intercept"
                )
            if not isinstance(value, int) and (other_names := difference(before, value)):
                raise ValueError(
                    f"w_prior was fitted to other {what}: it {other_names}. Fit it to the same, in "
                    "the same order, or give an array of weights for those of here"
                )
        return self._weights_trained(other._weights_given(other.w_, other.problem_), problem)

    def _layout(self, problem: Any) -> dict[str, Any]:
        """The names and numbers of features and outputs that the weights depend on.

        Names are compared where both fits have some.
        """
        found: dict[str, Any] = {}
        if (names := getattr(self, "feature_names_in_", None)) is not None:
            found["features"] = np.asarray(names).tolist()
        if (number := getattr(self, "n_features_in_", None)) is not None:
            found["columns"] = int(number)
        return found | {"weights": int(problem.size_joint_feature)}

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        """The weights of the features as they were given, in the order of ``w_``."""
        return w

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        """w, from the weights of the features as they were given."""
        return weights


class SolverEstimator(SolverParameters, CarriesWeights, ShowsResult):
    """Base class of the estimators with a solver, and with limits for the solver 'auto' chooses.

    Attributes
    ----------
    C_ : float
        The C of the fit.
    C_path_ : ndarray of shape (n_C,) or None
        With C='cv' the values that were tried, rising; else None.
    cv_scores_ : ndarray of shape (n_C, n_folds) or None
        With C='cv' their scores on held-out examples; ``C_`` has the highest mean, of several the
        smallest. The folds are two halves, drawn by ``random_state`` if there is one, each trained
        on with half of C; the search goes from the default C up or down by factors of 10 until the
        mean rises no more, at a tolerance of 0.1 unless ``rtol`` is given; then all examples are
        trained on. A time limit is for each fit. A score is 1 - mean loss, as
        :meth:`structsvm.StructuredSVM.score` defines it, or minus the mean log loss with
        ``loss='log_loss'``. What the fit learns to encode examples, such as a ``scale_``, is from
        all of them.
    w_ : ndarray of shape (size_joint_feature,)
        The weights, in the order of the joint feature.
    problem_ : Problem
        The problem that was solved, initialized.
    result_ : Result
        Objective, gap, status and guarantee.
    n_iter_ : int
        Number of passes over the data.
    """

    C_: float
    C_path_: Vector | None
    cv_scores_: Vector | None
    w_: Vector
    problem_: Any
    result_: Result
    n_iter_: int
    #: The surrogate of the loss; a parameter where there are others.
    loss: Loss = "hinge"
    #: Tolerance for the solver that 'auto' chooses, if not the solver's own default.
    default_rtol: float | None = None
    #: A method of the encoded data and the solver: the w to start from if nothing is known of it.
    _first_w: Any = None
    #: What scikit-learn's tags say of X and of y.
    _takes_matrix, _takes_sparse = True, False
    _requires_y = _has_several_outputs = False

    def set_params(self, **params: Any) -> Self:
        """Set parameters; see scikit-learn's ``BaseEstimator``.

        Raises
        ------
        ValueError
            The parameter does not exist, for example ``solver__rtol`` where the solver is 'auto'.
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_X, of_y = tags.input_tags, tags.target_tags
        of_X.two_d_array, of_X.sparse = self._takes_matrix, self._takes_sparse
        of_y.required, several = self._requires_y, self._has_several_outputs
        of_y.multi_output, of_y.single_output = several, not several
        return tags

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _problem(self) -> Problem:
        """A new problem, which ``fit`` initializes."""

    def _require_parameters(self) -> None:
        """Raise an error for the first parameter that is unusable with any data."""
        require_flag("warm_start", self.warm_start)

    def _automatic_C(self, data: Encoded) -> float:
        """The value that C='auto' stands for."""
        raise ValueError(
            f"{type(self).__name__} has no rule for C='auto'; C must be a finite number > 0"
        )

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        """The solver that 'auto' stands for, with the defaults of this estimator."""
        choice = choose_solver(problem, X, Y, self.loss)
        if self.default_rtol is not None:
            choice.solver.set_params(rtol=self.default_rtol)
        if hasattr(self, "random_state") and hasattr(choice.solver, "random_state"):
            seed = self.random_state
            if isinstance(seed, np.random.RandomState):  # solvers draw with a Generator
                seed = seed.randint(2**31 - 1)
            choice.solver.set_params(random_state=seed)
        return choice

    def _keep(self, problem: Problem, result: Result, data: Encoded) -> None:
        """Store the trained weights as attributes."""
        self.problem_, self.w_ = problem, result.w
        self.result_, self.n_iter_ = result, result.iterations

    # ------------------------------------------------------------------ parts of fit

    def _chosen_C(self, data: Encoded, folds: Callable[[], Sequence[Fold]]) -> float:
        """C, or the value that 'auto' or 'cv' stands for; ``folds`` makes those to compare by."""
        self.C_path_ = self.cv_scores_ = None
        default = type(self).C
        if isinstance(self.C, str) and self.C == "auto":
            return self._automatic_C(data)
        if isinstance(self.C, str) and self.C == "cv":
            first = self._automatic_C(data) if isinstance(default, str) else default
            self.C_path_, self.cv_scores_ = searched(first, folds())
            return float(self.C_path_[self.cv_scores_.mean(axis=1).argmax()])
        words = "'auto' or 'cv'" if default == "auto" else "'cv'"
        require_number(f"C, if not {words},", self.C, "> 0")
        return float(self.C)

    def _prepared(
        self, data: Encoded, w_prior: Any = None, **options: Any
    ) -> tuple[Problem, Callable[[], Result]]:
        """The problem, and a function that trains it on these data with ``C_``."""
        problem = self._problem()
        given = _hash((problem, data.X, data.Y)) if self.warm_start else None
        solver = self._resolved_solver(problem, data.X, data.Y)
        start: dict[str, Any] = {"w0": None}
        if self.warm_start and hasattr(self, "w_"):
            start = self._start(given, solver)
        self._trained_on_hash = given
        if solver.needs_labels:
            require_outputs(type(self).__name__, data.Y, "y")
        prior = self._prior(w_prior, problem, data)
        weights = data.weights if np.ptp(data.weights) else None
        if prior is not None and prior.any():
            if not solver.needs_labels and start["w0"] is None:
                start["w0"] = prior  # labels are best imputed by what is known from experience
        elif self._first_w is not None and start == {"w0": None}:
            start["w0"] = self._first_w(data, solver)
        return problem, partial(
            solver.solve, problem, data.X, data.Y, self.C_, sample_weight=weights,
            w_prior=prior, callback=self.callback, verbose=self.verbose, copy=False,
            **start, **options,
        )  # fmt: skip

    def _resolved_solver(self, problem: Problem, X: Any, Y: Any) -> Solver:
        """The solver given, or for 'auto' the one chosen for this problem and data."""
        given: dict[str, Any] = {}
        for name in ("rtol", "max_iter", "time_limit"):
            if getattr(self, name) is not None:
                given[name] = getattr(self, name)
        if isinstance(self.solver, str) and self.solver == "auto":
            return chosen_solver(self._choice(problem, X, Y), given)
        if self.loss != "hinge":
            given["loss"] = self.loss
        if isinstance(self.solver, Solver) and not given:
            return self.solver
        return given_solver(self.solver, given)

    def _start(self, given: str | None, solver: Solver) -> dict[str, Any]:
        """The w of the last fit; its planes too where data and loss are the same.

        ``given`` is the hash of the data, or None.
        """
        same = given is not None and given == self._trained_on_hash
        # A self-labelled problem would impute other labels.
        if same and self.result_.labels is None and self.result_.surrogate == solver.surrogate:
            return {"w0": None, "warm_start": self.result_}
        return {"w0": self.w_}


def _hash(data: Any) -> str | None:
    """A hash of the data; None where they cannot be pickled."""
    try:
        return fingerprint(data)
    except Exception as error:
        logger.debug("the data of this fit cannot be compared with those of others: %s", error)
        return None
