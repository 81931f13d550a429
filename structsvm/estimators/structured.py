"""StructuredSVM: a scikit-learn estimator for any problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from structsvm.contract.declarations import require_outputs
from structsvm.contract.problem import Problem
from structsvm.data.containers import require_pairs
from structsvm.data.validation import checked_sample_weight, require_flag
from structsvm.estimators.base import StructuredEstimator
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import copied
from structsvm.oracle.workers import Workers
from structsvm.results.callbacks import Callbacks
from structsvm.results.verification import Verification
from structsvm.solvers.shared.early_stopping import PATIENCE

if TYPE_CHECKING:
    from typing_extensions import Self


class StructuredSVM(StructuredEstimator):
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
        why. A solver object has a tolerance and limits of its own, and the next three are None.
    rtol : float, optional
        Stop when the gap is at most ``rtol`` times the primal value, >= 0 and < 1. Default: that of
        the chosen solver, 1e-3.
    max_iter : int, optional
        Largest number of passes over the data, >= 1. Default: that of the chosen solver.
    time_limit : float, optional
        Seconds of wall time, > 0, tested after every pass. Default: no limit.
    warm_start : bool, default=False
        Start ``fit`` from the last one: from its ``w_``, and if the problem, X and Y are the same,
        as where only C or the weights of the examples are others, from its planes too, as
        ``warm_start`` of :meth:`structsvm.OneSlackCuttingPlane.solve` describes.
    n_jobs : int, optional
        Number of blocks of examples that ``fit`` and ``predict`` evaluate at the same time, as in
        :meth:`structsvm.OneSlackCuttingPlane.solve`.
    callback : callable or list of callables, optional
        Called as ``callback(iteration, w)`` after every pass; a true return value stops. See
        :class:`structsvm.Callback`.
    verbose : bool, default=False
        Show a progress bar with the gap.
    early_stopping : bool, default=False
        Hold out some examples, and stop where their score rises no more:
        see :class:`structsvm.EarlyStopping`.
    validation_fraction : float, default=0.1
        The fraction of the examples that early stopping holds out at random, > 0 and < 1.
    n_iter_no_change : int, default=10
        Stop early after this many scores in a row that are no higher than the highest, >= 1.
    random_state : int, RandomState or None, default=0
        Draws the examples that are held out. Where 'auto' chooses :class:`structsvm.CCCP`, its
        start too; a solver object has a ``random_state`` of its own.

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
    validation_indices_ : ndarray of shape (m,) or None
        The examples that early stopping held out of X, rising.
    validation_scores_ : list of float
        Their scores, one after the other.

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
        self.problem = problem
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
        """Fit the weights to inputs X and outputs Y.

        Parameters
        ----------
        X : sequence of n inputs
        Y : sequence of n outputs
            None or annotations for a self-labelled problem.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean slack, >= 0 and not all 0: an example of weight 2
            counts as two, one of weight 0 as none. To multiply all by one number changes nothing.
        X_val, Y_val : sequences of m inputs and outputs, optional
            What ``early_stopping`` is to hold out, in place of a part of X and Y.
        checkpoint : Checkpoint or path-like, optional
            A file to which the fit is saved now and then, and from which it goes on if the file
            exists: see :class:`structsvm.Checkpoint`.

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
        ArchiveError
            The checkpoint is of another training, or is not a whole file.
        ValueError
            A parameter or the data are unusable.
        """
        require_flag("warm_start", self.warm_start)
        X, Y, weights, rule = self._divided(X, Y, X_val, Y_val, sample_weight)
        problem = self._problem()
        options = self._run_options(problem, X, Y)
        options.update(sample_weight=weights, early_stopping=rule, checkpoint=checkpoint)
        solver = self._resolved_solver(problem, X, Y)
        if solver.needs_labels:
            require_outputs(type(self).__name__, Y)
        self._keep(problem, solver.solve_in_place(problem, X, Y, **options))
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
            examples = Examples(self.problem_, X, workers=workers)
            examples.warn_of_one_block()
            return examples.decode(self.w_)

    def score(self, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """Return 1 - mean loss of the predictions, the loss divided by ``max_loss`` if known.

        Parameters
        ----------
        X : sequence of n inputs
        Y : sequence of n outputs
            For a self-labelled problem annotations, which its ``evaluation_loss`` compares with
            the predictions.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean.

        Returns
        -------
        float
            At most 1; at least 0 where ``max_loss`` is known.
        """
        check_is_fitted(self, "w_")
        weights = checked_sample_weight(sample_weight, require_pairs(X, Y))
        with Workers(self.n_jobs, self.problem_.parallelism) as workers:
            examples = Examples(self.problem_, X, Y, workers=workers, weights=weights)
            examples.warn_of_one_block()
            return examples.score(self.w_)

    def verify(self, X: Any, Y: Any = None, sample_weight: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        X, Y and the weights are those given to ``fit``; what early stopping held out is left out.
        """
        check_is_fitted(self, "w_")
        X, Y, weights = self._trained_on(X, Y, sample_weight)
        return self.result_.verify(self.problem_, X, Y, sample_weight=weights)

    def _problem(self) -> Problem:
        """A new problem, which ``fit`` initializes."""
        return copied(self.problem)
