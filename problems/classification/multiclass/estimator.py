"""The multiclass support vector machine as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.bases import ClassifierMixin
from structsvm.data.arrays import Vector
from structsvm.data.blocks import Stored
from structsvm.data.choices import ChoiceOfC, ClassWeight
from structsvm.data.containers import take
from structsvm.data.matrices import weights_for
from structsvm.data.validation import require_flag
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.probabilities import TRAINED, HasProbabilities, if_calibrated
from structsvm.estimators.rows import RowEstimator
from structsvm.estimators.training import StructuredEstimator
from structsvm.objective.surrogate import Loss
from structsvm.problems.classification.encoding import ClassEncoding, accuracy
from structsvm.problems.classification.labels import require_class_weight, warn_of_one_class
from structsvm.problems.classification.multiclass.problem import Multiclass, checked_cost
from structsvm.results.result import Result

#: C='auto' per row, if the mean of ||x||^2 is 1: benchmarks/defaults/classifiers.py.
C_OF_A_ROW = 10.0
#: C='auto' per row of a sparse matrix, with the hinge loss.
C_OF_A_SPARSE_ROW = 1.0


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class MulticlassSVM(RowEstimator, ClassifierMixin, HasProbabilities, StructuredEstimator):
    """Multiclass SVM of Crammer & Singer (JMLR 2001) with any cost matrix and a certified gap.

    ``score`` is the accuracy, as for any scikit-learn classifier. The ``score`` of
    ``StructuredSVM`` with ``Multiclass(cost)`` depends on the cost.

    X is an array or scipy.sparse matrix of shape (n, n_features). Products with float32 data are in
    float32; other types are converted to float64. ``y`` holds labels of any sortable kind, at least
    two different ones. ``fit`` also takes :class:`structsvm.Blocks` of rows and their labels,
    without y.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack in the :mod:`structsvm.objective`, > 0. 'auto' is 10 n, where n is
        the sum of the weights of the rows. For a sparse X and the hinge loss, 'auto' is n. With the
        hinge loss, 'auto' is multiplied by the mean cost of a mistake. The page
        :doc:`/appendix/defaults` shows how the default was chosen. For an array with d columns that
        are not constant, C / (n d) is the C of ``LinearSVC(multi_class="crammer_singer")`` on
        standardised columns. 'cv' chooses C by cross-validation: see ``cv_scores_``.
    cost : array-like of shape (n_classes, n_classes), optional
        ``cost[i, j]`` is the loss of predicting ``classes_[j]`` for ``classes_[i]``. Costs are >=
        0, with a zero diagonal. Default: 0/1 loss. The names in a DataFrame must be ``classes_``,
        in order.
    fit_intercept : bool, default=True
        Whether to add a constant feature to every row, in a copy of X. The weights of the constant
        are part of ||w||, as in LIBLINEAR. The constant is 10 times as large as a typical entry of
        X, so that its weights cost little, as with ``LinearSVC(intercept_scaling=10)``.
    class_weight : dict or 'balanced', optional
        The weight of each class in the mean slack, 1 by default. A class weight multiplies the
        ``sample_weight`` of the rows of the class. 'balanced' gives all classes the same sum of
        weights.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss: see :mod:`structsvm.objective.surrogate`. 'log_loss' is
        multinomial logistic regression. On d standardised columns, 'log_loss' with C equals
        ``LogisticRegression`` with C / (n d), or with 2 C / (n d) for two classes.
    early_stopping : bool, default=False
        Whether to hold out some rows, in the proportions of the classes, and to stop training when
        the score of these rows stops rising: see :class:`structsvm.EarlyStopping`. The score is 1
        minus the ratio of the mean cost to the largest cost.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features)
        Weights of the unscaled features for each class.
    intercept_ : ndarray of shape (n_classes,)
        The intercept of each class; 0 without ``fit_intercept``.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    result_ : Result
        The result of the solver for scaled rows and class codes, which are indices into
        ``classes_``. With ``fit_intercept``, a constant is appended to the scaled rows.
    n_features_in_ : int
        Number of columns of X.
    temperature_ : float
        The number by which :meth:`predict_proba` divides scores: 1, or the result of
        :meth:`fit_temperature`.

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

    about = About(
        "Classes, sets of labels, rankings", "a class for each row", X="a matrix, dense or sparse",
        y="labels", page="multiclass.md", score="accuracy; scikit-learn has other measures",
    )  # fmt: skip

    cost: Any = None
    fit_intercept: bool = True
    class_weight: ClassWeight = None
    loss: Loss = "hinge"
    C: float | ChoiceOfC = "auto"

    stratified = True

    def decision_function(self, X: Any) -> Vector:
        """Return the scores of every row.

        The shape is (n, n_classes). For two classes the shape is (n,), and a score is the second
        class's score minus the first's.
        """
        check_is_fitted(self)
        X, _ = self._given(X, None, reset=False)
        scores: Vector = X @ weights_for(X, self.coef_.T) + self.intercept_
        return scores if len(self.classes_) > 2 else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of highest score for every row, shape (n,)."""
        scores = self.decision_function(X)
        # A tie goes to the first class, as with argmax for more than two classes.
        codes = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)
        return np.asarray(self.classes_[codes])

    @if_calibrated
    def predict_proba(self, X: Any) -> Vector:
        """Return the probability of every class for every row, shape (n, n_classes).

        A probability is proportional to exp(score / ``temperature_``). The method exists only with
        ``loss='log_loss'`` or 'softmax_margin', or after :meth:`fit_temperature`.
        """
        check_is_fitted(self)
        task = self.problem_.task(self._encoded(X).X)
        return np.asarray(task.probabilities(self.w_, self.temperature_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, the fraction of rows whose class is predicted correctly.

        Labels that did not occur in training count as wrong, and a warning states their number.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, >= 0 and not all 0.
        """
        return accuracy(self, X, y, sample_weight)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_flag("fit_intercept", self.fit_intercept)
        require_class_weight(self.class_weight)
        if self.cost is not None:
            self._require_loss_counts("cost")
        if isinstance(self.cost, np.ndarray):
            checked_cost(self.cost, max(self.cost.shape, default=0))

    def _new_encoding(self) -> ClassEncoding:
        return ClassEncoding(self.scale, self.fit_intercept, self.class_weight, self.cost)

    def _problem(self) -> Multiclass:
        return Multiclass(self.cost)

    def _automatic_C(self, data: Encoded) -> float:
        sparse_hinge = self.loss == "hinge" and sparse.issparse(take(data.X, slice(0, 1)))
        C_of_a_row = C_OF_A_SPARSE_ROW if sparse_hinge else C_OF_A_ROW
        unit = 1.0
        if self.loss == "hinge":  # the mean cost of a mistake is the unit of the slacks
            costs = self._problem().cost_matrix(self.classes_)
            unit = float(costs[~np.eye(len(costs), dtype=bool)].mean())
        return float(self._encoding.per_square(C_of_a_row * float(data.weights.sum()) * unit))

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        columns = self._encoding.columns
        self.classes_: NDArray[Any] = self._encoding.classes
        self.coef_, self.intercept_ = columns.parts(columns.given(problem.class_weights(self.w_)))
        self.temperature_ = TRAINED
        if self.loss != "log_loss" and self.w_.any():
            small = f", C={C:.3g}" if self.C_ < (C := self._automatic_C(data)) else ""
            remedy = f"class_weight='balanced'{small}, or loss='log_loss' and predict_proba"
            stored = isinstance(data.X, Stored)
            blocks = (rows for rows, _ in data.X.files) if stored else [data.X]
            warn_of_one_class(blocks, problem.class_weights(self.w_).T, self.classes_, remedy)
