"""The support vector machine for multivariate measures as a scikit-learn classifier."""

from __future__ import annotations

import logging
import warnings
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from structsvm.bases import ClassifierMixin
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.choices import ChoiceOfC
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.matrices import checked_rows, row_scores
from structsvm.data.validation import checked_sample_weight, require_flag
from structsvm.docstrings import documented
from structsvm.estimators.base import (
    SolverEstimator,
    outputs_called_y,
    warn_unless_converged,
)
from structsvm.estimators.cross_validation import FOLDS, Fold, dealt, for_comparison
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.scales_columns import ScalesColumns
from structsvm.estimators.takes_rows import TakesRows
from structsvm.fitting.about import About
from structsvm.problems.classification.labels import (
    checked_classes,
    require_known,
    row_labels,
    trained_on,
    warn_of_one_class,
)
from structsvm.problems.multivariate.labelling import LabellingProblem
from structsvm.problems.multivariate.measures import (
    AT_K,
    LABELLING,
    Measure,
    measured,
    require_measure,
    rows_at,
    rows_of_highest_f1,
)
from structsvm.problems.multivariate.ranking import RocAreaProblem, TopKProblem
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.results.verification import Verification
from structsvm.solvers.shared.solver import Solver

logger = logging.getLogger(__name__)

#: Measures whose slack may be smallest at w = 0 where classes overlap.
LOOSE = ("f1", *AT_K, "prbep")


@documented
@dataclass(eq=False, repr=False)
class MultivariateSVM(ScalesColumns, TakesRows, ClassifierMixin, SolverEstimator):
    """Binary classifier trained for a measure of the whole data: F1, precision at k, ROC area.

    The support vector machine of Joachims (ICML 2005) with a certified gap. The slack bounds the
    loss 1 - measure on the training data. ``score`` is the measure, for use in a grid search.

    The rows are one example, so there are no weights, no blocks for ``n_jobs``, and no early
    stopping.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    measure : {'f1', 'precision_at_k', 'recall_at_k', 'prbep', 'roc_area', 'error'}, default='f1'
        'prbep' is the precision/recall break-even point, precision at k with k the number of
        positive rows. 'error' gives the usual support vector machine.
    k : int, float or None, default=None
        For 'precision_at_k' and 'recall_at_k': a number of rows; a fraction of the rows, in (0, 1),
        which carries over to data of another size; or None for the number of positive rows.
    fit_intercept : bool, default=True
        For 'f1' and 'error' add a constant feature, large so that the cost of its weight is
        negligible. The other measures depend on the order of the scores alone; after training the
        intercept is chosen such that k training rows are predicted positive, for 'prbep' and
        'roc_area' as many as are positive.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the slack in the objective of :mod:`structsvm.objective`, > 0. 'auto' is n for n
        rows. With 'error' the slack is the mean hinge loss: for d columns of an array, but for
        constants, C / (n d) is the C of ``LinearSVC(loss='hinge')`` on standardised ones.
        'cv' chooses it by cross-validation: see ``cv_scores_``.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        Zero without ``fit_intercept``.
    classes_ : ndarray of shape (2,)
        The labels, sorted; the second is the positive one.
    trained_for_ : str
        ``measure``; or 'roc_area' where no w has a smaller slack than w = 0, as for F1 and the
        measures at k where classes overlap much. With an intercept and without a ``w_prior`` the
        order of the rows is trained then, and the intercept set to the highest F1 of the training
        rows, or to k of them.
    result_ : Result
        It refers to the problem of the measure; for 'f1' and 'error' with ``fit_intercept`` its
        rows have a constant appended.
    n_features_in_ : int
        Number of columns of X.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005. See
    :class:`LabellingProblem`, :class:`TopKProblem` and :class:`RocAreaProblem` for where we differ.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from structsvm.problems import MultivariateSVM
    >>> X, digit = load_digits(return_X_y=True)
    >>> X, is_eight = X / 16, digit == 8
    >>> svm = MultivariateSVM("f1").fit(X[:1000], is_eight[:1000])
    >>> svm.score(X[1000:], is_eight[1000:]) > 0.7
    True
    >>> svm.result_.gap <= 1e-3 * svm.result_.primal
    True
    """

    about = About(
        "Classes, sets of labels, rankings",
        "two classes, judged by F1, precision at k or the ROC area", X="a matrix", y="labels",
        page="multivariate_svm.md", score="the measure that it trains for",
    )  # fmt: skip

    measure: Measure = "f1"
    _: KW_ONLY
    k: float | None = None
    fit_intercept: bool = True
    C: float | ChoiceOfC = "auto"

    def fit(self, X: Any, y: Any = None, *, w_prior: Any = None, checkpoint: Any = None) -> Self:
        """Train on rows X and their labels y.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            float32 stays float32 in products with X, but for training to a measure of rankings;
            all else is converted to float64.
        y : array-like of shape (n,)
            Two different labels of any sortable kind; the second in order is the positive one.
        w_prior : MultivariateSVM or array-like of the shape of ``w_``, optional
            Weights known from experience: the regulariser is the squared distance from them, not
            from 0. A fitted MultivariateSVM for other data with the same features, or its weights.
        checkpoint : Checkpoint or path-like, optional
            A file to which the fit is saved now and then, and from which it goes on if the file
            exists: see :class:`structsvm.Checkpoint`.

        Returns
        -------
        MultivariateSVM
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            The measure is unknown, k is out of range or unused by the measure, y does not hold
            exactly two labels, or X is not a finite matrix.
        """
        self._require_parameters()
        with outputs_called_y(self):
            self._other = self._source(w_prior)
            X, labels = self._labelled(X, y)
            folds = partial(self._folds, X, labels, w_prior)
            other = self.measure in LOOSE and self.fit_intercept and w_prior is None
            with warnings.catch_warnings():
                if other:
                    warnings.filterwarnings("ignore", "training ended at w = 0")
                self._train(self.measure, X, labels, folds, w_prior, checkpoint=checkpoint)
            if other and not self.w_.any():
                logger.info("no w has a smaller slack than w = 0; training for the ROC area")
                self._train("roc_area", X, labels, folds)
            if self.fit_intercept and self.trained_for_ not in LABELLING:
                self.intercept_ = np.array([-self._threshold(X, labels)])
            del self._other
        warn_unless_converged(self.result_)
        return self

    def _train(
        self, measure: Measure, X: Any, labels: Any, folds: Any, w_prior: Any = None, **options: Any
    ) -> None:
        self.trained_for_ = measure
        of_order, moments = measure not in LABELLING, ColumnMoments.of(X, np.ones(len(labels)))
        constant = self.fit_intercept and not of_order
        self._learn_columns(moments, centred=of_order or constant, constant=constant)
        data = self._task(X, labels)
        if measure == self.measure or self.C != "cv":
            self.C_ = self._chosen_C(data, folds)
        problem, train = self._prepared(data, w_prior, **options)
        self._keep(problem, train(), data)

    def _folds(self, X: Any, labels: Any, w_prior: Any) -> list[Fold]:
        """The folds of C='cv', each with rows of both labels; seeded, for lack of a parameter."""
        if (fewest := min(labels.sum(), (~labels).sum())) < FOLDS:
            raise ValueError(
                f"C='cv' holds out half of the rows at a time, and {fewest} of {len(labels)} rows "
                "have one of the labels: give more, or set C='auto' or to a number"
            )
        parts = dealt(len(labels), labels, random_state=0)
        return [self._fold(X, labels, part, w_prior) for part in parts]

    def _fold(self, X: Any, labels: Any, held_out: Indices, w_prior: Any) -> Fold:
        """Train with a C on the other rows, and return the measure of those held out."""
        others = np.delete(np.arange(len(labels)), held_out)
        trained = for_comparison(self)
        if isinstance(self.k, (int, np.integer)):  # among fewer rows likewise
            trained.k = self.k / len(labels)

        def fold(C: float) -> float:
            trained.C = C * len(others) / len(labels)
            trained.fit(X[others], labels[others], w_prior=w_prior)
            if trained.result_.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            return float(trained.score(X[held_out], labels[held_out]))

        return fold

    def decision_function(self, X: Any) -> Vector:
        """The score of every row, shape (n,); a row is predicted positive where it is > 0."""
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        return row_scores(X, self.coef_[0]) + self.intercept_[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of every row, ``classes_[1]`` where the score is > 0."""
        codes = (self.decision_function(X) > 0).astype(np.intp)
        return self.classes_[codes]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The measure of the predictions, in [0, 1], larger is better.

        For 'error' it is 1 - error, the accuracy. Where scores tie at the k-th place it is the
        expectation over a random order of the tied rows. Labels that were not trained on count as
        wrong, each as the class that is not predicted, with a warning that counts them.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, >= 0 and not all 0: a row of weight 0 does not count, and ``k`` is
            a number of rows of mean weight.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            The measure ranks and the rows are all positive or all negative; or k exceeds the number
            of rows.
        """
        scores = self.decision_function(X)
        given = row_labels(y, len(scores))
        known = trained_on(given, self.classes_)
        if not known.any():
            return 0.0
        labels = np.where(known, given == self.classes_[1], scores <= 0)
        weights = checked_sample_weight(sample_weight, len(scores))
        return measured(self.measure, labels, scores, self.k, weights)

    def verify(self, X: Any, y: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`."""
        check_is_fitted(self)
        X, y = checked_rows(self, X, y, reset=False)
        require_known(y, self.classes_)
        data = self._task(X, y == self.classes_[1])
        return self.result_.verify(self.problem_, data.X, data.Y)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_measure(self.measure, self.k)
        require_flag("fit_intercept", self.fit_intercept)

    def _labelled(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows, and whether they are positive."""
        given = y
        X, y = checked_rows(self, X, y)
        self.classes_: NDArray[Any] = checked_classes(y, given)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}, with {len(self.classes_)} classes"
            )
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({self.classes_.tolist()[0]!r}); expected 2")
        return X, y == self.classes_[1]

    def _task(self, X: Any, labels: Any) -> Encoded:
        """The one example: all rows, and the true output."""
        rows = self._columns.applied(X)
        if self.trained_for_ in LABELLING:
            x, truth = rows, labels
        else:
            # A ranking has its labels in the input; its true output is that no row is out of place.
            x, truth = (rows, labels), np.zeros(len(labels))
        return Encoded([x], [truth], np.ones(1), X)

    def _automatic_C(self, data: Encoded) -> float:
        return self._per_square(data.rows.shape[0])

    def _problem(self) -> Problem:
        if self.trained_for_ in ("f1", "error"):
            return LabellingProblem(self.trained_for_)
        return RocAreaProblem() if self.trained_for_ == "roc_area" else TopKProblem(self.k)

    def _layout(self, problem: Any) -> dict[str, Any]:
        return {"labels": self.classes_.tolist()} | super()._layout(problem)

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.coef_, self.intercept_ = self._columns.parts(self._columns.given(self.w_[None]))
        self._measure_of_w = self.trained_for_
        if self.measure == "error" and self.w_.any():
            small = f" or C={C:.3g}" if self.C_ < (C := self._automatic_C(data)) else ""
            weights, remedy = np.outer(self.w_, [0, 1]), f"measure='f1'{small}"
            warn_of_one_class(data.X[0], weights, self.classes_, remedy)

    def _start(self, given: str | None, solver: Solver) -> dict[str, Any]:
        if getattr(self, "_measure_of_w", None) != self.trained_for_:
            return {"w0": None}  # its w need not even have as many entries
        return super()._start(given, solver)

    def _threshold(self, X: Any, labels: Any) -> float:
        """The score half-way between the last row that is to be predicted positive and the next."""
        scores = row_scores(X, self.coef_[0])
        f1 = self.measure == "f1"
        first = len(labels) - (
            rows_of_highest_f1(labels, scores) if f1 else rows_at(self.k, labels)
        )
        if not first:
            return float(scores.min()) - 1.0
        return float(np.partition(scores, (first - 1, first))[first - 1 : first + 1].mean())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
