"""The estimator that learns to rank."""

from __future__ import annotations

import logging
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Self, Vector
from structsvm.data.choices import ChoiceOfC
from structsvm.data.containers import n_examples
from structsvm.data.conversion import require_not_swapped, require_same_index
from structsvm.data.matrices import checked_rows, row_scores, stacked_matrices
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded, ScaledColumns
from structsvm.estimators.rows import RowEstimator
from structsvm.estimators.training import StructuredEstimator
from structsvm.exceptions import warn_user
from structsvm.problems.ranking.data import (
    Queries,
    checked_grades,
    grouped,
    moments_within_queries,
    query_weights,
)
from structsvm.problems.ranking.measures import Gains, MeasureName, RankingMeasure, ranking_measure
from structsvm.problems.ranking.problem import RankingProblem
from structsvm.results.result import Result
from structsvm.results.verification import Verification

logger = logging.getLogger(__name__)


class Documents(NamedTuple):
    """Rows of documents, and the query of each row."""

    X: Any
    qid: Any


def documents_of(X: Any, y: Any = None) -> tuple[Documents, Any]:
    """Concatenate the documents of a list of queries, and their grades, which are 0 by default."""
    sizes = [n_examples(rows) for rows in X]
    if y is not None and [len(grades) for grades in y] != sizes:
        raise ValueError("y must hold the grades of each query in X, one for each document")
    grades = np.zeros(sum(sizes)) if y is None else np.concatenate(list(y))
    return Documents(stacked_matrices([*X]), np.repeat(np.arange(len(sizes)), sizes)), grades


class QueryEncoding(ScaledColumns):
    """The encoding of documents by query, with columns scaled by the spread within queries.

    Parameters
    ----------
    scale : 'auto' or None
    measure : RankingMeasure

    Attributes
    ----------
    spread : float
        The mean of ||x - m||^2 over scaled documents x, where m is the mean of the query; only
        queries with different grades count.
    """

    spread: float

    def __init__(self, scale: Any, measure: RankingMeasure) -> None:
        super().__init__(scale)
        self.measure = measure

    def learn(self, X: Documents, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        queries, weights = self._queries(X, y, sample_weight)
        n, mixed = len(queries), np.unique(queries.splits.query)
        if len(mixed) < n:
            logger.info(
                "%d of %d queries have documents of one relevance only, and teach nothing",
                n - len(mixed),
                n,
            )
        teaching = np.where(np.isin(np.arange(n), mixed), weights, 0)
        if len(mixed) and not teaching.any():
            raise ValueError(
                "sample_weight is 0 for all queries that have documents of different relevance; "
                "there is nothing to learn"
            )
        moments = moments_within_queries(queries.rows, queries.layout, teaching)
        self.learn_columns(moments, centred=True, constant=False)
        scaled = moments.variances * np.square(moments.units / self.columns.sizes)
        self.spread = float(scaled.sum())
        return self._scaled(queries, weights)

    def encode(self, X: Documents, y: Any = None, sample_weight: Any = None) -> Encoded:
        return self._scaled(*self._queries(X, y, sample_weight))

    def _queries(self, X: Documents, y: Any, sample_weight: Any) -> tuple[Queries, Vector]:
        """Return the unscaled documents, grouped by query, and the weights of the queries."""
        rows, qid = X
        relevance = checked_grades("y", y, rows.shape[0], self.measure)
        order, layout = grouped(qid, rows.shape[0])
        if (np.diff(order) < 0).any():
            rows, relevance = rows[order], relevance[order]
        weights = query_weights(sample_weight, order, layout)
        return Queries(rows, relevance, layout, self.measure), weights

    def _scaled(self, queries: Queries, weights: Vector) -> Encoded:
        scaled = queries.with_fields(rows=self.columns.applied(queries.rows))
        return Encoded(scaled, scaled.truth, weights, queries.rows)


@documented
@dataclass(eq=False, repr=False)
class RankingSVM(RowEstimator, StructuredEstimator):
    """A linear ranker of documents, trained for ROC area, NDCG or another measure.

    X has a row for each document, y holds its relevance, and qid the query to which it belongs, as
    in the rankers of XGBoost and LightGBM. ``predict`` returns a score for each row. Sort the
    documents of a query by their scores. ``score`` is the mean of the measure over the queries.
    :class:`RankingProblem` defines the loss. See also the page :doc:`/ranking`.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    measure : {'roc_area', 'ndcg', 'average_precision', 'precision_at_k'}, default='roc_area'
        'roc_area' is the fraction of correctly ordered pairs. A pair is two documents of a query
        with different grades, and only the order of grades counts. For 'ndcg', grades are whole
        numbers from 0 (not relevant) to 31. For 'average_precision' and 'precision_at_k' grades are
        1 for relevant documents and 0 for others.
    k : int, optional
        For 'ndcg' and 'precision_at_k': the measure counts only the first k documents. For 'ndcg',
        all documents count by default. For 'precision_at_k', k is by default the number of relevant
        documents.
    gains : {'exponential', 'linear'}, default='exponential'
        The gain of a grade g for 'ndcg': 2^g - 1 if 'exponential', or g if 'linear'. With 'linear',
        y may hold any gains from 0 to 1e100.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack of the queries in the :mod:`structsvm.objective`, > 0. 'auto' is
        the number of queries, times the mean number of documents of a query, divided by the mean
        squared distance between two scaled documents of the same query. The mean number of
        documents and the mean squared distance include only queries whose documents have different
        grades. The page :doc:`/ranking` shows how the value of 'auto' was chosen. 'cv' chooses C by
        cross-validation: see ``cv_scores_``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights. There is no intercept, since an intercept would not change any order.
    validation_indices_ : ndarray of shape (m,) or None
        The queries that early stopping held out, numbered in the order of their first rows.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import RankingSVM
    >>> rng = np.random.default_rng(0)
    >>> qid = np.repeat(np.arange(40), 8)
    >>> X = rng.normal(size=(320, 5))
    >>> y = (X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=320) > 1).astype(int)
    >>> svm = RankingSVM().fit(X[:160], y[:160], qid=qid[:160])
    >>> svm.score(X[160:], y[160:], qid=qid[160:]) > 0.8
    True
    >>> svm.predict(X[160:]).shape
    (160,)
    """

    about = About(
        "Classes, sets of labels, rankings", "the order of the documents of a query",
        X="a matrix, a row for each document", y="grades; `qid`: the query of each row",
        page="ranking.md",
        score=(
            "the measure that it trains for, averaged over queries. `ndcg_score` takes one "
            "query per call"
        ),
    )  # fmt: skip

    measure: MeasureName = "roc_area"
    _: KW_ONLY
    k: int | None = None
    gains: Gains = "exponential"
    C: float | ChoiceOfC = "auto"

    _requires_y = True

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        sample_weight: Any = None,
        w_prior: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        qid_val: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Train on documents X, their relevance y and their queries.

        Queries whose documents all have the same relevance, for example queries of one document,
        have a slack of 0 and do not affect the result. Their number is logged.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n_rows, n_features)
            Training converts X to float64. In ``predict``, float32 stays float32.
        y : array-like of shape (n_rows,)
            The grades of the documents, higher for more relevant ones; see ``measure``.
        qid : array-like of shape (n_rows,)
            The query of each document: numbers, strings or other values of one type, none missing.
            The rows of a query need not be adjacent.
        sample_weight : array-like of shape (n_rows,), optional
            The weight of each row's query, >= 0, equal for all rows of a query. A query of weight 2
            counts as two queries.
        w_prior : RankingSVM or array-like of shape (n_features,), optional
            Prior weights. The regulariser is the squared distance of the weights from the prior
            weights, instead of from 0. Pass a RankingSVM fitted to other data with the same
            features, or its weights.
        X_val, y_val, qid_val : as X, y and qid, optional
            The held-out data for ``early_stopping``. By default, some of the queries are held out.

        Returns
        -------
        RankingSVM
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            If X, y and qid are unusable or of different lengths, no query has documents of
            different relevance, rows of a query have different weights, or a parameter is out of
            its range.
        """
        if (X_val is None) != (qid_val is None):
            raise ValueError(
                "qid_val must say which query each row of X_val belongs to; one of both is None"
            )
        return super().fit(
            Documents(X, qid),
            y,
            sample_weight=sample_weight,
            w_prior=w_prior,
            X_val=None if X_val is None else Documents(X_val, qid_val),
            y_val=y_val,
            checkpoint=checkpoint,
        )

    def predict(self, X: Any) -> Vector:
        """Return the score of each document: the higher, the more relevant to its query.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self, "w_")
        return row_scores(checked_rows(self, X, reset=False), self.coef_)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, qid: Any = None) -> float:
        """Return the mean of the measure over the queries, as in evaluations on LETOR data.

        A query without a relevant document counts as 0. For 'roc_area', queries without documents
        of different grades are left out. If documents have the same score, the measure is averaged
        over all orders of these documents. 'precision_at_k' is divided by k, even if a query has
        fewer documents. To use ``score`` in a grid search, enable metadata routing and call
        ``set_fit_request(qid=True)`` and ``set_score_request(qid=True)``. A grid search with
        metadata routing passes qid to ``fit`` and ``score``.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        ValueError
            If the data are unusable, or if for 'roc_area' no query has documents of different
            grades.
        """
        check_is_fitted(self, "w_")
        documents = X if isinstance(X, Documents) else Documents(X, qid)
        queries, _, weights, _ = self._encoded(documents, y, sample_weight)
        scores = row_scores(queries.rows, self.w_)
        values = queries.measure.values(queries.relevance, queries.layout.sizes, scores)
        weights = np.where(np.isnan(values), 0, weights)
        if not weights.any():
            raise ValueError(
                "no query has documents of different grades, so that no pair is in the right order"
            )
        return float(weights @ np.nan_to_num(values) / weights.sum())

    def verify(
        self, X: Any, y: Any = None, *, qid: Any = None, sample_weight: Any = None
    ) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        Pass the data of ``fit``; the queries that early stopping held out are left out again.
        """
        return super().verify(Documents(X, qid), y, sample_weight=sample_weight)

    def _new_encoding(self) -> QueryEncoding:
        return QueryEncoding(self.scale, ranking_measure(self.measure, self.k, self.gains))

    def _bound(self, X: Any) -> Any:
        documents, relevance = documents_of(X)
        return self.problem_.task(self._encoded(documents, relevance).X)

    def _predicted(self, X: Any) -> list[Vector]:
        return [self.predict(rows) for rows in X]

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Documents, Any]:
        (X, qid), y = (X, y) if isinstance(X, Documents) else documents_of(X, y)
        if qid is None:
            raise ValueError(
                "qid must say which query each row of X belongs to; it is None. In a grid search "
                "enable metadata routing, and call set_fit_request(qid=True) and "
                "set_score_request(qid=True)"
            )
        require_not_swapped(X, y)
        rows = checked_rows(self, X, reset=reset)
        require_same_index("qid", qid, "X", X)
        require_same_index("y", y, "X", X)
        return Documents(rows, qid), y

    def _alone(self, x: Any, y: Any = None) -> Encoded:
        if y is None:
            raise ValueError("the ranking is compared with grades: give one a document by instead")
        return self._encoded(Documents(x, np.zeros(len(x))), y)

    def _automatic_C(self, data: Encoded) -> float:
        """Return the C that the docstring of the class describes for 'auto'.

        A query whose documents have the same grade counts like an average query with different
        grades.
        """
        some = np.unique(data.X.splits.query)
        own, sizes = data.weights[some], data.X.layout.sizes[some]
        if len(some) and not self._encoding.spread:
            warn_user(
                "the features of documents do not differ within queries of different relevance, "
                "so that nothing can be learnt, and C='auto' takes 1 for their mean squared "
                "distance"
            )
        documents, pairs = float(own @ sizes), float(own @ (sizes - 1))
        if not pairs:
            return float(data.weights.sum())
        mean = 2 * self._encoding.spread * documents / pairs
        return float(data.weights.sum()) * documents / float(own.sum()) / (mean or 1.0)

    def _problem(self) -> Problem:
        return RankingProblem(self.measure, self.k, self.gains)

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.coef_ = self._encoding.columns.given(self.w_)
