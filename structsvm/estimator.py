"""StructuredSVM: a scikit-learn estimator for any problem."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from structsvm.containers import n_examples
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import copied
from structsvm.oracle.workers import Workers
from structsvm.problem import Problem, Vector
from structsvm.solvers.auto import resolve_solver
from structsvm.solvers.loop import Callback
from structsvm.status import Outcome, Status
from structsvm.verification import Verification


def warn_unless_converged(result: Outcome) -> None:
    """Warn with the status, by a ConvergenceWarning, where a run stopped early."""
    if result.status not in (Status.CONVERGED, Status.STOPPED):
        warnings.warn(
            f"{result.status.name}: {result.status.message} (gap {result.gap:.3g}, primal "
            f"{result.primal:.6g})",
            ConvergenceWarning,
            stacklevel=3,
        )


class StructuredSVM(BaseEstimator):
    """A structural SVM for any :class:`structsvm.Problem`.

    Parameters
    ----------
    problem : Problem
        Defines inputs, outputs, joint features, loss and oracle. It is copied, never changed.
        Its own parameters can be searched as ``problem__name``.
    C : float, default=100.0
        Regularisation parameter, > 0: the weight of the mean slack in the objective of
        :mod:`structsvm.objective`. Larger C fits the training data more closely. The default is
        for losses of about 1: for losses that are s times as large, ``s * C`` gives the same
        predictions. :doc:`/defaults` shows how it was chosen.
    solver : 'auto' or solver object, default='auto'
        'auto' calls :func:`structsvm.choose_solver`; ``result_.solver`` says what it chose and
        why. Tolerances and limits are parameters of the solver.
    warm_start : bool, default=False
        Start ``fit`` from the ``w_`` of the last fit.
    n_jobs : int, optional
        Number of blocks of examples that ``fit`` and ``predict`` evaluate at the same time, as in
        :meth:`structsvm.OneSlackCuttingPlane.solve`.
    callback : callable, optional
        Called as ``callback(iteration, w)`` after every pass; a true return value stops.
    verbose : bool, default=False
        Show a progress bar with the gap.

    Attributes
    ----------
    w_ : ndarray of shape (size_joint_feature,)
        The weights.
    problem_ : Problem
        The initialized copy.
    result_ : Result
        Objective, gap, status and guarantee.
    n_iter_ : int
        Passes over the data.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> svm = StructuredSVM(Multiclass(), C=10.0).fit(X, ["a", "b", "c"])
    >>> print(svm.predict(X))
    ['a' 'b' 'c']
    >>> svm.score(X, ["a", "b", "b"])
    0.666...
    """

    def __init__(
        self,
        problem: Problem,
        C: float = 100.0,
        solver: Any = "auto",
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        verbose: bool = False,
    ) -> None:
        self.problem = problem
        self.C = C
        self.solver = solver
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Any, Y: Any = None) -> StructuredSVM:
        """Fit the weights to inputs X and outputs Y.

        Parameters
        ----------
        X : sequence of n inputs
        Y : sequence of n outputs
            None or annotations for a self-labelled problem.

        Returns
        -------
        StructuredSVM
            The estimator itself. A run that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ProblemError
            The problem broke its contract; the message names the method and the example.
        InfeasibleConstraintsError
            No w satisfies the problem's constraints.
        ValueError
            A parameter or the data are unusable.
        """
        problem = copied(self.problem)
        self.result_ = resolve_solver(self.solver, problem, X, Y).solve(
            problem,
            X,
            Y,
            self.C,
            w0=self._start(),
            callback=self.callback,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        self.problem_, self.w_ = problem, self.result_.w
        self.n_iter_ = self.result_.iterations
        warn_unless_converged(self.result_)
        return self

    def predict(self, X: Any) -> Any:
        """Predict the output of highest score for every input.

        Parameters
        ----------
        X : sequence of n inputs

        Returns
        -------
        sequence of n outputs
            A list, or what the problem's ``batch_decode`` returns.
        """
        check_is_fitted(self, "w_")
        with Workers(self.n_jobs, self.problem_.parallelism) as workers:
            return Examples(self.problem_, X, workers=workers).decode(self.w_)

    def score(self, X: Any, Y: Any) -> float:
        """Return 1 - mean loss of the predictions, the loss divided by ``max_loss`` if known.

        Parameters
        ----------
        X : sequence of n inputs
        Y : sequence of n outputs

        Returns
        -------
        float
            At most 1; at least 0 where ``max_loss`` is known.
        """
        check_is_fitted(self, "w_")
        if n_examples(X) != n_examples(Y, "Y"):
            raise ValueError(
                f"X has {n_examples(X)} examples but Y has {n_examples(Y)}; they must be equal"
            )
        scale = self.problem_.max_loss or 1.0
        with Workers(self.n_jobs, self.problem_.parallelism) as workers:
            examples = Examples(self.problem_, X, Y, workers=workers)
            losses = examples.losses(Y, examples.decode(self.w_))
        return float(1 - np.mean(losses) / scale)

    def verify(self, X: Any, Y: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`."""
        check_is_fitted(self, "w_")
        return self.result_.verify(self.problem_, X, Y)

    def _start(self) -> Vector | None:
        return getattr(self, "w_", None) if self.warm_start else None
