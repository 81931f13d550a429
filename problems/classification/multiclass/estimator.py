"""The multiclass support vector machine as a scikit-learn classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_rows, weights_for
from structsvm.data.validation import checked_sample_weight, require_flag
from structsvm.estimators.base import StructuredEstimator
from structsvm.problems.classification.labels import (
    checked_class_weight,
    distinct,
    require_known,
    require_one_kind,
    require_order,
)
from structsvm.problems.classification.multiclass.problem import Multiclass
from structsvm.problems.classification.rows import BIAS, with_constant
from structsvm.results.callbacks import Callbacks
from structsvm.results.verification import Verification
from structsvm.solvers.shared.early_stopping import PATIENCE

if TYPE_CHECKING:
    from typing_extensions import Self


class MulticlassSVM(ClassifierMixin, StructuredEstimator):
    """Multiclass SVM of Crammer & Singer (JMLR 2001) with any cost matrix and a certified gap.

    ``score`` is the accuracy, as for any scikit-learn classifier; ``StructuredSVM`` with
    ``Multiclass(cost)`` scores by the cost.

    Parameters
    ----------
    C : float, default=100.0
        Weight of the *mean* slack in the objective of :mod:`structsvm.objective`. LinearSVC
        weighs the sum: the same problem has ``C = n * C_LinearSVC``. :doc:`/defaults` shows how
        the default was chosen.
    cost : array-like of shape (n_classes, n_classes), optional
        ``cost[i, j]`` is the loss of predicting ``classes_[j]`` for ``classes_[i]``; >= 0, with a
        zero diagonal. Default: 0/1 loss. The names of a DataFrame must be ``classes_``, in order.
    fit_intercept : bool, default=True
        Add a constant feature to every row, in a copy of X. Its weights are part of ||w||, as in
        LIBLINEAR; it is 10, so that they cost little, as with ``LinearSVC(intercept_scaling=10)``.
    class_weight : dict or 'balanced', optional
        The weight of the rows of each class in the mean slack, 1 by default; it multiplies their
        ``sample_weight``. 'balanced' gives all classes the same sum of weights.
    solver : 'auto' or solver object, default='auto'
    rtol, max_iter, time_limit
        As in :class:`structsvm.StructuredSVM`.
    warm_start : bool, default=False
        As in :class:`structsvm.StructuredSVM`.
    n_jobs : int, optional
        Number of threads, each with a block of the rows; as in :class:`structsvm.StructuredSVM`.
    callback : callable or list of callables, optional
        As in :class:`structsvm.StructuredSVM`.
    verbose : bool, default=False
        Show a progress bar.
    early_stopping, validation_fraction, n_iter_no_change, random_state
        As in :class:`structsvm.StructuredSVM`. The classes have the same proportions among the
        rows held out; the score is 1 - the mean cost, divided by the largest cost.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features)
    intercept_ : ndarray of shape (n_classes,)
        Zeros without ``fit_intercept``.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    result_ : Result
        Objective, gap, status and guarantee of the fit.
    n_iter_ : int
        Passes over the data.
    n_features_in_ : int
    validation_indices_, validation_scores_
        As in :class:`structsvm.StructuredSVM`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from structsvm.problems import MulticlassSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> svm = MulticlassSVM().fit(X, y)
    >>> svm.score(X, y) > 0.95
    True
    >>> svm.result_.gap <= 1e-3 * svm.result_.primal
    True
    """

    def __init__(
        self,
        C: float = 100.0,
        cost: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
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
        self.C = C
        self.cost = cost
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
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
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Train on rows X and their labels y.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            float32 stays float32 in products with X; all else is converted to float64.
        y : array-like of shape (n,)
            Labels of any sortable kind, at least two different ones.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows in the mean slack, >= 0 and not all 0: a row of weight 2 counts as
            two, one of weight 0 as none. To multiply all by one number changes nothing.
        X_val, y_val : matrix of shape (m, n_features) and array-like of shape (m,), optional
            What ``early_stopping`` is to hold out, in place of a part of X and y.
        checkpoint : Checkpoint or path-like, optional
            As in :class:`structsvm.StructuredSVM`.

        Returns
        -------
        MulticlassSVM
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            X is not a finite matrix, y holds a single class, or a parameter is out of its range.
        """
        require_flag("fit_intercept", self.fit_intercept)
        require_flag("warm_start", self.warm_start)
        given = y
        X, y = checked_rows(self, X, y)
        if isinstance(given, (list, tuple)):
            require_one_kind(given)  # y is an array now
        self.classes_ = distinct(y)
        check_classification_targets(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_.tolist()[0]!r}); expected at least 2"
            )
        require_order(self.cost, self.classes_, ("index", "columns"))
        if X_val is not None and y_val is not None:
            X_val, y_val = self._coded(*checked_rows(self, X_val, y_val, reset=False))
        rows, codes = self._coded(X, y)
        weights = self._weights(codes, sample_weight)
        rows, codes, weights, rule = self._divided(rows, codes, X_val, y_val, weights, codes)
        problem = self._problem()
        options = self._run_options(problem, rows, codes)
        options.update(sample_weight=weights, early_stopping=rule, checkpoint=checkpoint)
        solver = self._resolved_solver(problem, rows, codes)
        self._keep(problem, solver.solve_in_place(problem, rows, codes, **options))
        W = problem.class_weights(self.w_)
        d = X.shape[1]
        self.coef_ = W[:, :d].copy()
        self.intercept_ = BIAS * W[:, d] if self.fit_intercept else np.zeros(len(W))
        return self

    def decision_function(self, X: Any) -> Vector:
        """The scores of every row.

        Shape (n, n_classes); for two classes (n,), the second score minus the first.
        """
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        scores = X @ weights_for(X, self.coef_.T) + self.intercept_
        return scores if len(self.classes_) > 2 else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of highest score for every row, shape (n,)."""
        scores = self.decision_function(X)
        # A tie goes to the first class, as argmax resolves it for more than two.
        codes = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)
        return self.classes_[codes]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, the fraction of rows whose class is predicted.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, >= 0 and not all 0.
        """
        predicted = self.predict(X)
        weights = checked_sample_weight(sample_weight, len(predicted))
        return float(accuracy_score(y, predicted, sample_weight=weights))

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        X, y and the weights are those given to ``fit``; what early stopping held out is left out.
        ``result_`` refers to class codes, the index in ``classes_``, and with ``fit_intercept`` to
        rows with a constant appended.
        """
        check_is_fitted(self)
        rows, codes = self._coded(*checked_rows(self, X, y, reset=False))
        weights = self._weights(codes, sample_weight)
        rows, codes, weights = self._trained_on(rows, codes, weights)
        return self.result_.verify(self.problem_, rows, codes, sample_weight=weights)

    def _weights(self, codes: Any, sample_weight: Any) -> Vector:
        """The weights of rows, those of their classes included."""
        weights = checked_sample_weight(sample_weight, len(codes))
        of_classes = checked_class_weight(self.class_weight, codes, self.classes_, weights)
        return weights * of_classes[codes]

    def _problem(self) -> Multiclass:
        """A new problem, which ``fit`` initializes."""
        return Multiclass(self.cost)

    def _coded(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows and labels as the problem takes them."""
        require_known(y, self.classes_)
        rows = with_constant(X, BIAS) if self.fit_intercept else X
        return rows, np.searchsorted(self.classes_, y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
