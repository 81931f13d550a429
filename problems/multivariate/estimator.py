"""The support vector machine for multivariate measures as a scikit-learn classifier."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from structsvm.bases import ClassifierMixin
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.choices import ChoiceOfC
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.matrices import row_scores
from structsvm.data.validation import checked_sample_weight, require_flag
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.cross_validation import FOLDS, Fold, dealt, for_comparison
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.rows import RowEstimator
from structsvm.estimators.training import StructuredEstimator, blas_for
from structsvm.problems.classification.encoding import ClassEncoding
from structsvm.problems.classification.labels import row_labels, trained_on, warn_of_one_class
from structsvm.problems.multivariate.measures import (
    AT_K,
    LABELLING,
    Measure,
    measured,
    require_measure,
    rows_at,
    rows_of_highest_f1,
)
from structsvm.problems.multivariate.problems import LabellingProblem, RocAreaProblem, TopKProblem
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.results.verification import Verification
from structsvm.solvers.shared.solver import Solver

logger = logging.getLogger(__name__)

#: Measures whose slack may be smallest at w = 0 if the classes overlap.
LOOSE = ("f1", *AT_K, "prbep")


class MeasureEncoding(ClassEncoding):
    """The encoding of all rows and their labels as a single example.

    Parameters
    ----------
    scale : 'auto' or None
    fit_intercept : bool
    measure : str
        The measure of the problem.
    """

    def __init__(self, scale: Any, fit_intercept: bool, measure: Measure) -> None:
        super().__init__(scale, fit_intercept)
        self.measure = measure

    def learn(self, X: Any, y: Any, sample_weight: Any = None, prior: Any = None) -> Encoded:
        data = super().learn(X, y, sample_weight)
        if len(self.classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}, with {len(self.classes)} classes"
            )
        return data

    def learn_columns(self, moments: ColumnMoments, **options: Any) -> None:
        if self.measure not in LABELLING:  # only the order of the scores counts
            options.update(centred=True, constant=False)
        super().learn_columns(moments, **options)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        rows, codes, _, _ = super().encode(X, y)
        labels = codes == 1
        if self.measure in LABELLING:
            return Encoded([rows], [labels], np.ones(1), X)
        # A ranking has its labels in the input; in its true output no row is out of place.
        return Encoded([(rows, labels)], [np.zeros(len(labels))], np.ones(1), X)

    def attributes(self) -> dict[str, Any]:
        return super().attributes() | {"trained_for_": self.measure}


def labels_of(data: Encoded) -> Any:
    """Return a mask of the positive rows of an encoded example."""
    (x,), (y,), *_ = data
    return x[1] if isinstance(x, tuple) else y


@documented
@dataclass(eq=False, repr=False)
class MultivariateSVM(RowEstimator, ClassifierMixin, StructuredEstimator):
    """Binary classifier trained for a measure of the whole data: F1, precision at k, ROC area.

    The method is the support vector machine of Joachims (ICML 2005), trained to a certified gap.
    The slack bounds the loss 1 - measure on the training data. The method ``score`` returns the
    measure, which a grid search then maximises.

    All rows together are one example; therefore there are no sample weights, ``n_jobs`` or early
    stopping.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    measure : {'f1', 'precision_at_k', 'recall_at_k', 'prbep', 'roc_area', 'error'}, default='f1'
        'prbep' is the precision/recall break-even point: precision at k, where k is the number of
        positive rows. 'error' trains the usual support vector machine.
    k : int, float or None, default=None
        For 'precision_at_k' and 'recall_at_k': a number of rows; a fraction of the rows, in (0, 1),
        which adapts to the size of the data; or None for the number of positive rows.
    fit_intercept : bool, default=True
        Whether to add a constant feature for 'f1' and 'error', so large that the regularisation of
        its weight is negligible. The measures other than 'f1' and 'error' depend only on the order
        of the scores. For measures other than 'f1' and 'error', the intercept is chosen after
        training. For 'precision_at_k' and 'recall_at_k', ``k`` gives the number of training rows
        that are predicted positive. For 'prbep' and 'roc_area', as many training rows are predicted
        positive as are positive.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the slack in the :mod:`structsvm.objective`, > 0. 'auto' is n for n rows. With
        'error' the slack is the mean hinge loss. For an array X, 'error' trains the same model as
        scikit-learn's ``LinearSVC(loss='hinge', C=C/(n*d))`` on standardised columns. The number d
        counts the columns of X that are not constant. 'cv' chooses C by cross-validation: see
        ``cv_scores_``.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        Zero without ``fit_intercept``.
    classes_ : ndarray of shape (2,)
        The two labels, sorted; the second is the positive label.
    trained_for_ : str
        ``measure``, or 'roc_area' if no w has a smaller slack than w = 0. For F1 and the measures
        at k, w = 0 may have the smallest slack if the classes overlap much. Training replaces
        ``measure`` by 'roc_area' only if ``fit_intercept`` is True and ``w_prior`` is None. If
        'roc_area' replaces 'f1', the intercept is still chosen for the highest F1 on the training
        rows. For a measure at k, the intercept is chosen so that k training rows are predicted
        positive.
    result_ : Result
        The result of the solver for the measure in ``trained_for_``. For 'f1' and 'error' with
        ``fit_intercept``, a constant is appended to the rows.
    n_features_in_ : int
        Number of columns of X.

    References
    ----------
    Joachims, A Support Vector Method for Multivariate Performance Measures, ICML 2005. See
    :class:`LabellingProblem`, :class:`TopKProblem` and :class:`RocAreaProblem` for the differences
    from Joachims' paper.

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

    if TYPE_CHECKING:  # attributes that the encoding learns
        classes_: NDArray[Any] = field(init=False)
        trained_for_: str = field(init=False)
    # There is only one example.
    n_jobs: ClassVar[None] = None  # type: ignore[misc]
    early_stopping: ClassVar[bool] = False  # type: ignore[misc]
    validation_fraction: ClassVar[float] = 0.1  # type: ignore[misc]
    n_iter_no_change: ClassVar[int] = 10  # type: ignore[misc]
    random_state: ClassVar[int] = 0  # type: ignore[misc]

    def fit(  # type: ignore[override]
        self, X: Any, y: Any = None, *, w_prior: Any = None, checkpoint: Any = None
    ) -> Self:
        """Train on rows X and their labels y.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            float32 stays float32 in products with X, except in training for a measure of rankings;
            all other types are converted to float64.
        y : array-like of shape (n,)
            Two different labels of any sortable type. The second label in sorted order is the
            positive label.
        w_prior : MultivariateSVM or array-like of the shape of ``w_``, optional
            Prior weights. The regulariser is the squared distance of the weights from the prior
            weights, instead of from 0. Pass a MultivariateSVM fitted to other data with the same
            features, or its weights.
        checkpoint : Checkpoint or path-like, optional
            A file in which the fit is saved from time to time. If the file exists, the fit
            continues from the file: see :class:`structsvm.Checkpoint`.

        Returns
        -------
        MultivariateSVM
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            If the measure is unknown, k is out of range or unused by the measure, y does not hold
            exactly two labels, or X is not a finite matrix.
        """
        return super().fit(X, y, w_prior=w_prior, checkpoint=checkpoint)

    _bound = _alone = None  # type: ignore[assignment]  # all rows are one input

    def _prepared(
        self, data: Encoded, **options: Any
    ) -> tuple[Problem, Callable[[], Result], Encoded]:
        problem, train, data = super()._prepared(data, **options)
        if self.measure not in LOOSE or not self.fit_intercept or options["w_prior"] is not None:
            return problem, train, data
        with warnings.catch_warnings(), blas_for(data):
            warnings.filterwarnings("ignore", "training ended at w = 0")
            result = train()
        if result.w.any():
            return problem, lambda: result, data
        logger.info("no w has a smaller slack than w = 0; training for the ROC area")
        classes = self._encoding.classes[labels_of(data).astype(np.intp)]
        self._encoding = MeasureEncoding(self.scale, self.fit_intercept, "roc_area")
        data = self._encoding.learn(data.rows, classes)
        vars(self).update(self._encoding.attributes())
        return super()._prepared(data, **options)

    def _chosen_C(self, data: Encoded, folds: Callable[[], Sequence[Fold]]) -> float:
        if self._encoding.measure != self.measure and self.C == "cv":
            return self.C_  # chosen by the measure itself
        return super()._chosen_C(data, folds)

    def _folds(self, data: Encoded, prior: Vector | None) -> list[Fold]:
        """Return the folds for C='cv', each with rows of both labels, from a fixed seed."""
        labels = labels_of(data)
        if (fewest := min(labels.sum(), (~labels).sum())) < FOLDS:
            raise ValueError(
                f"C='cv' holds out half of the rows at a time, and {fewest} of {len(labels)} rows "
                "have one of the labels: give more, or set C='auto' or to a number"
            )
        if prior is not None:
            prior = self._encoding.weights_given(prior, None)
        parts = dealt(len(labels), labels, random_state=0)
        return [self._fold(data.rows, labels, part, prior) for part in parts]

    def _fold(self, X: Any, labels: Any, held_out: Indices, w_prior: Any) -> Fold:
        """Return a function of C that trains on all rows outside a fold, and scores the fold."""
        others = np.delete(np.arange(len(labels)), held_out)
        trained = for_comparison(self)
        if isinstance(self.k, (int, np.integer)):  # the same fraction of fewer rows
            trained.k = self.k / len(labels)

        def fold(C: float) -> float:
            trained.C = C * len(others) / len(labels)
            trained.fit(X[others], labels[others], w_prior=w_prior)
            if trained.result_.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            return float(trained.score(X[held_out], labels[held_out]))

        return fold

    def verify(self, X: Any, y: Any = None) -> Verification:  # type: ignore[override]
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`."""
        return super().verify(X, y)

    def decision_function(self, X: Any) -> Vector:
        """Return the score of each row, shape (n,); rows with scores > 0 are predicted positive."""
        check_is_fitted(self)
        X, _ = self._given(X, None, reset=False)
        return np.asarray(row_scores(X, self.coef_[0]) + self.intercept_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row: ``classes_[1]`` if its score is > 0."""
        codes = (self.decision_function(X) > 0).astype(np.intp)
        return np.asarray(self._encoding.classes[codes])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the measure of the predictions, in [0, 1]; larger is better.

        The current ``measure`` and ``k`` are used. Set ``measure`` and ``k`` after the fit to score
        by another measure. For 'error' the score is 1 - error, the accuracy. If scores tie at rank
        k, the measure is its expectation over a random order of the tied rows. Labels that are not
        in the training data count as wrong predictions; a warning states their number.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, >= 0 and not all 0. A row of weight 0 does not count. The first
            ``k`` rows are the rows of highest score whose weights, divided by the mean of the
            weights above 0, sum to ``k``.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If, for a measure of rankings, all rows are positive, all rows are negative, or k
            exceeds the number of rows.
        """
        scores = self.decision_function(X)
        given = row_labels(y, len(scores))
        known = trained_on(given, self._encoding.classes)
        if not known.any():
            return 0.0
        labels = np.where(known, given == self._encoding.classes[1], scores <= 0)
        weights = checked_sample_weight(sample_weight, len(scores))
        return measured(self.measure, labels, scores, self.k, weights)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_measure(self.measure, self.k)
        require_flag("fit_intercept", self.fit_intercept)

    def _new_encoding(self) -> MeasureEncoding:
        return MeasureEncoding(self.scale, self.fit_intercept, self.measure)

    def _automatic_C(self, data: Encoded) -> float:
        return float(self._encoding.per_square(data.rows.shape[0]))

    def _problem(self) -> Problem:
        if self._encoding.measure in ("f1", "error"):
            return LabellingProblem(self._encoding.measure)
        return RocAreaProblem() if self._encoding.measure == "roc_area" else TopKProblem(self.k)

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        columns, self._measure_of_w = self._encoding.columns, self._encoding.measure
        self.coef_, self.intercept_ = columns.parts(columns.given(self.w_[None]))
        if self.fit_intercept and self._encoding.measure not in LABELLING:
            self.intercept_ = np.array([-self._threshold(data.rows, labels_of(data))])
        if self.measure == "error" and self.w_.any():
            small = f" or C={C:.3g}" if self.C_ < (C := self._automatic_C(data)) else ""
            weights, remedy = np.outer(self.w_, [0, 1]), f"measure='f1'{small}"
            warn_of_one_class([data.X[0]], weights, self._encoding.classes, remedy)

    def _start(self, own_hash: str | None, solver: Solver) -> dict[str, Any]:
        if getattr(self, "_measure_of_w", None) != self._encoding.measure:
            return {"w0": None}  # its w may even have another length
        return super()._start(own_hash, solver)

    def _threshold(self, X: Any, labels: Any) -> float:
        """Return the score half-way between the last row predicted positive and the next row."""
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
        tags.classifier_tags.multi_class = False
        return tags
