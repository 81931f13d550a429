"""The estimator for integer programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import ChoiceOfC
from structsvm.data.columns import arrays_in
from structsvm.data.containers import dense, n_examples, require_examples
from structsvm.data.conversion import require_same_indices
from structsvm.data.matrices import mean_square
from structsvm.data.validation import require_option
from structsvm.data.weight_name import WeightName
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded, Encoding
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.programs.labels import (
    has_unknown,
    ignoring_unknown,
    known_in,
    values_of,
    with_zeros,
)
from structsvm.problems.programs.partial import PartialIntegerProgram
from structsvm.problems.programs.problem import IntegerProgram
from structsvm.problems.programs.program import Compiled, Program
from structsvm.problems.programs.search import Solver, require_limits
from structsvm.problems.programs.task import each
from structsvm.results.result import Result

#: C per variable if the mean of ||x||^2 is 1.
C_OF_A_VARIABLE = 5.0


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class IntegerProgramSVM(StructuredEstimator):
    """A structural SVM for integer programs, trained on fully or partly known outputs.

    X holds a :class:`Program` for each example. y holds 0/1 vectors, with -1 for unknown variables,
    or pairs of a vector and the weights of the variables in the loss. ``predict`` returns a list of
    0/1 vectors. ``score`` is 1 - the weighted fraction of known variables that are wrong, averaged
    over the programs. For inputs other than programs, use :class:`structsvm.StructuredSVM` with a
    subclass of :class:`IntegerProgram` or :class:`PartialIntegerProgram`.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    mip_time_limit : float, optional
        Seconds, > 0, after which a search by HiGHS returns the best solution so far, or raises an
        error if it has no solution. Default: no limit.
    mip_rel_gap : float, default=0.0
        Relative gap, >= 0, at which a search by HiGHS may stop. With a gap > 0 the oracle may miss
        the best output.
    relaxation : bool, default=False
        Whether to train with the linear relaxation, which is faster but may have fractional
        solutions. Predictions are 0/1 vectors even with a relaxation.
    integer_solver : 'highspy' or callable, optional
        The solver that replaces ``scipy.optimize.milp``: see ``solver`` of :class:`IntegerProgram`.
        'highspy' is as exact as ``scipy.optimize.milp``, and faster in most programs.
    unknown : {'imputed', 'ignored'}, default='imputed'
        How training treats unknown variables. 'imputed' repeatedly gives values to the unknown
        variables: those of highest score, given the known values. With 'imputed' the problem is not
        convex (:class:`PartialIntegerProgram`). 'ignored' sets unknown variables of the true output
        to 0, and leaves these variables out of the loss; the problem is convex. With 'ignored',
        slacks may be negative if the true output violates constraints. With 'ignored', the
        objective of ``result_`` may differ from the objective of the problem by a constant. With
        'ignored', training changes the true outputs that violate constraints, so that they satisfy
        the constraints. If 'ignored' changes a true output, ``result_`` has the slack of the
        changed output. If 'ignored' changes a true output, training adds a vector to
        ``result_.w_prior`` to keep the objective the same up to a constant.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack in the :mod:`structsvm.objective`, > 0. 'auto' is 5 v / s, where v
        is the number of variables of all programs, and s the mean of ||x||^2 over the feature
        vectors x of all variables. 'cv' chooses C by cross-validation: see ``cv_scores_``.

    Examples
    --------
    >>> from structsvm.problems import IntegerProgram, IntegerProgramSVM
    >>> X, Y = IntegerProgram.example_data()
    >>> svm = IntegerProgramSVM().fit(X[:5], Y[:5])
    >>> svm.score(X[5:], Y[5:])
    0.8
    >>> for y in Y[:5]:
    ...     y[::2] = -1  # half of the variables are unknown
    >>> IntegerProgramSVM().fit(X[:5], Y[:5]).score(X[5:], Y[5:])
    0.766...
    """

    about = About(
        "Graphs, matchings, decisions", "0/1 variables with linear constraints: tracks, schedules",
        X="programs", y="0/1 vectors, -1 where unknown", page="programs.md",
        score="variables with the right value",
    )  # fmt: skip

    unknown: Literal["imputed", "ignored"] = "imputed"
    C: float | ChoiceOfC = "auto"
    mip_time_limit: float | None = None
    mip_rel_gap: float = 0.0
    relaxation: bool = False
    integer_solver: Solver | None = None
    _takes_matrix, _requires_y = False, True

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """Predict the values of the variables of each program."""
        return list(super().predict(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 - the fraction of known variables that are wrong, averaged over the programs.

        Each variable counts with its weight in the loss. Programs without known variables are left
        out.

        Raises
        ------
        ValueError
            If no variable is known.
        """
        check_is_fitted(self, "w_")
        data, problem = self._encoded(X, y, sample_weight), self.problem_
        require_examples(data.X, y=data.Y)
        programs = each("X", lambda i: problem.compiled(data.X[i]), len(data.weights))
        known = each("y", lambda i: known_in(problem.checked_output(programs[i], data.Y[i])).any(),
                     len(programs))  # fmt: skip
        weights = data.weights * known.astype(bool)
        if not weights.any():
            raise ValueError("no variable of any output in y is known: there is nothing to score")
        return super().score(X, y, weights)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_option("unknown", self.unknown, ("imputed", "ignored"))
        limits = self.mip_time_limit, self.mip_rel_gap, self.integer_solver
        require_limits(*limits, names=("mip_time_limit", "integer_solver"))

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        if isinstance(X, Program):
            raise ValueError("X must be a list of programs; got one Program: give [X], and [y]")
        X, y = super()._given(X, y, reset)
        require_examples(X)
        require_same_indices(y, (getattr(x, "features", None) for x in X))
        return arrays_in(self, "X", X, reset), y

    def _new_encoding(self) -> ProgramEncoding:
        limits = self.mip_time_limit, self.mip_rel_gap
        return ProgramEncoding(self.unknown, (*limits, self.relaxation, self.integer_solver))

    def _problem(self) -> Problem:
        encoding: ProgramEncoding = self._encoding
        return encoding.problem()

    def _automatic_C(self, data: Encoded) -> float:
        programs = each("X", lambda i: Compiled.of(data.X[i]), len(data.weights))
        sizes = data.weights * [program.n_variables for program in programs]
        squares = [mean_square(program.features) for program in programs]
        v, mean = float(sizes.sum()), float(np.average(squares, weights=sizes))
        return C_OF_A_VARIABLE * v / mean if mean else C_OF_A_VARIABLE * v

    def _training(
        self, problem: Any, data: Encoded, C: float, prior: Vector | None, **options: Any
    ) -> Callable[[], Result]:
        """Prepare training; change ``w_prior`` if true outputs violate constraints.

        If a true output with zeros for unknown variables violates constraints, training uses an
        output that satisfies the constraints. If training replaces a true output, a vector is added
        to ``w_prior`` to keep the objective the same up to a constant.
        """
        if self.unknown == "ignored" and data.Y is not None:
            linear = [
                weight * dense(problem.joint_feature_difference(x, with_zeros(y), y)).ravel()
                for x, y, weight in zip(data.X, data.Y, data.weights, strict=True)
                if isinstance(y, tuple)
            ]
            moved = C / data.weights.sum() * np.sum(linear, axis=0)
            if np.any(moved):
                prior = moved if prior is None else prior + moved
        return super()._training(problem, data, C, prior, **options)


class ProgramEncoding(Encoding):
    """An encoding that checks outputs with unknown entries, and leaves programs unchanged.

    Parameters
    ----------
    unknown : {'imputed', 'ignored'}
    options : tuple
        The arguments of the problem.

    Attributes
    ----------
    kind : type
        The class of the problem.
    """

    kind: type[IntegerProgram] = IntegerProgram

    def __init__(self, unknown: str, options: tuple[Any, ...]) -> None:
        self.unknown, self.options = unknown, options

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        return [WeightName(j) for j in places.tolist()]

    def problem(self) -> IntegerProgram:
        """Return a new problem, an instance of the class ``kind``."""
        return self.kind(*self.options)

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        some = y is not None and any(has_unknown(y[i]) for i in range(n_examples(y, "y")))
        if some and self.unknown == "imputed":
            self.kind = PartialIntegerProgram
        data = self.encode(X, y, sample_weight)
        if self.unknown == "imputed" or y is None:
            return data
        problem = self.problem()
        problem.initialize(data.X, data.Y)
        task = problem.task(data.X, data.Y)
        each("y", lambda i: values_of(task.Y[i]), task.n)  # raises an error that replaced an output
        return data._replace(X=task.X, Y=task.Y)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        data = super().encode(X, y, sample_weight)
        if y is None or self.kind is PartialIntegerProgram:
            return data
        Y = each("y", lambda i: ignoring_unknown(y[i]), n_examples(y, "y"))
        return data._replace(Y=Y)
