"""The estimator of integer programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.containers import n_examples, require_examples
from structsvm.data.matrices import mean_square
from structsvm.data.validation import checked_sample_weight, require_callable, require_positive
from structsvm.estimators.base import chosen_C
from structsvm.estimators.structured import StructuredSVM
from structsvm.problems.programs.labels import has_unknown
from structsvm.problems.programs.partial import PartialIntegerProgram
from structsvm.problems.programs.problem import IntegerProgram, each
from structsvm.problems.programs.program import Compiled
from structsvm.results.callbacks import Callbacks
from structsvm.solvers.shared.early_stopping import PATIENCE

if TYPE_CHECKING:
    from typing_extensions import Self

#: C for each variable, where the mean of ||x||^2 is 1.
C_OF_A_VARIABLE = 5.0


class IntegerProgramSVM(StructuredSVM):
    """Integer programs with learned scores of their variables, from whole or partly known outputs.

    X holds a :class:`Program` for each example, Y 0/1 vectors in which -1 stands for an unknown
    variable. Where there are such, the problem is :class:`PartialIntegerProgram`, else
    :class:`IntegerProgram`. ``predict`` returns a list of 0/1 vectors; ``score`` is 1 - the mean
    fraction of wrong variables. For inputs of another kind use :class:`structsvm.StructuredSVM`
    with a subclass of these problems.

    Parameters
    ----------
    mip_time_limit : float, optional
        ``time_limit`` of the problem: seconds for a search.
    mip_rel_gap, relaxation, integer_solver
        ``mip_rel_gap``, ``relaxation`` and ``solver`` of :class:`IntegerProgram`.
    C : float or 'auto', default='auto'
        As in :class:`structsvm.StructuredSVM`. 'auto' is 5 v / s, where v is the number of
        variables of all programs, and s the mean of ||x||^2 over their features x.
    solver : 'auto' or solver object, default='auto'
        The solver that trains.
    rtol, max_iter, time_limit, warm_start, n_jobs, callback, verbose
        As in :class:`structsvm.StructuredSVM`.
    early_stopping, validation_fraction, n_iter_no_change, random_state
        As in :class:`structsvm.StructuredSVM`.

    Attributes
    ----------
    C_ : float
        The C of the fit.
    w_, problem_, result_, n_iter_, validation_indices_, validation_scores_
        As in :class:`structsvm.StructuredSVM`.

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

    def __init__(
        self,
        mip_time_limit: float | None = None,
        mip_rel_gap: float = 0.0,
        relaxation: bool = False,
        integer_solver: Any = None,
        C: float | str = "auto",
        solver: Any = "auto",
        rtol: float | None = None,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callbacks = None,
        verbose: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = PATIENCE,
        random_state: Any = 0,
    ) -> None:
        self.mip_time_limit = mip_time_limit
        self.mip_rel_gap = mip_rel_gap
        self.relaxation = relaxation
        self.integer_solver = integer_solver
        self.C = C
        self.solver = solver
        self.rtol = rtol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        Y: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        Y_val: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Fit the weights, as :meth:`structsvm.StructuredSVM.fit` does.

        Parameters
        ----------
        X : sequence of n programs
        Y : sequence of n outputs
            Vectors of 0, 1, and -1 for unknown; or pairs of such a vector and weights of the loss.
        sample_weight, X_val, Y_val : sequences, optional
            As in :class:`structsvm.StructuredSVM`.
        checkpoint : Checkpoint or path-like, optional
            As in :class:`structsvm.StructuredSVM`.

        Returns
        -------
        IntegerProgramSVM
            The estimator itself.

        Raises
        ------
        ProblemError
            A search found no solution; the message names the example.
        ValueError
            A parameter or the data are unusable.
        """
        require_callable("integer_solver", self.integer_solver)
        if self.mip_time_limit is not None:
            require_positive("mip_time_limit", self.mip_time_limit)
        self.C_ = chosen_C(self.C, lambda: _automatic_C(X, sample_weight))
        known = Y is None or not any(has_unknown(Y[i]) for i in range(n_examples(Y, "Y")))
        self._kind = IntegerProgram if known else PartialIntegerProgram
        super().fit(X, Y, sample_weight, X_val=X_val, Y_val=Y_val, checkpoint=checkpoint)
        return self

    def _run_options(self, problem: Problem, X: Any, Y: Any) -> dict[str, Any]:
        return {**super()._run_options(problem, X, Y), "C": self.C_}

    def _problem(self) -> Problem:
        return self._kind(
            self.mip_time_limit, self.mip_rel_gap, self.relaxation, self.integer_solver
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def _automatic_C(X: Any, sample_weight: Any) -> float:
    """C for these programs, by the number and the features of their variables.

    Programs count by their weights.
    """
    weights = checked_sample_weight(sample_weight, require_examples(X))
    programs = each("X", lambda i: Compiled.of(X[i]), n_examples(X))
    sizes = weights * [program.n_variables for program in programs]
    squares = [mean_square(program.features) for program in programs]
    v, mean = float(sizes.sum()), float(np.average(squares, weights=sizes))
    return C_OF_A_VARIABLE * v / mean if mean else C_OF_A_VARIABLE * v
