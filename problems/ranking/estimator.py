"""The estimator that learns to rank."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.conversion import require_not_swapped
from structsvm.data.matrices import (
    checked_rows,
    largest_entry,
    require_powers,
    row_blocks,
    row_scores,
)
from structsvm.estimators.base import chosen_C, one_thread_if_sparse
from structsvm.estimators.structured import StructuredSVM
from structsvm.exceptions import warn_user
from structsvm.problems.ranking.checks import checked_grades, grouped, query_weights
from structsvm.problems.ranking.measures import ranking_measure
from structsvm.problems.ranking.problem import RankingProblem
from structsvm.problems.ranking.queries import Layout, Queries
from structsvm.results.callbacks import Callbacks
from structsvm.results.verification import Verification
from structsvm.solvers.shared.early_stopping import PATIENCE

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class RankingSVM(StructuredSVM):
    """Ranks the documents of queries, trained for average precision, NDCG or another measure.

    X has a row for each document, y its relevance, and qid the query that it belongs to, as in the
    rankers of XGBoost and LightGBM. ``predict`` returns a score for each row, by which the
    documents of a query are to be sorted; ``score`` is the mean of the measure over the queries.
    :class:`RankingProblem` says what is minimised; :doc:`/ranking` ranks documents.

    Parameters
    ----------
    measure : str, default='average_precision'
        'average_precision', 'ndcg', 'precision_at_k' or 'roc_area'. For 'average_precision' and
        'precision_at_k' grades above 0 are relevant. 'ndcg' has the gain 2^grade - 1. 'roc_area' is
        the fraction of pairs of documents of one query and different grades that are in the right
        order.
    k : int, optional
        The number of documents at the top that count, for 'ndcg' and 'precision_at_k'. Default: all
        for 'ndcg'; for 'precision_at_k' as many as are relevant.
    C : float or 'auto', default='auto'
        Weight of the *mean* slack of the queries in the objective of :mod:`structsvm.objective`,
        > 0. 'auto' is n / s for n queries and s the mean of ||a - b||^2 over the pairs of documents
        a and b of one query, so that it does not depend on the scale of the features.
        :doc:`/ranking` shows how that was chosen.
    solver : 'auto' or solver object, default='auto'
    rtol, max_iter, time_limit, warm_start, callback, verbose
        As in :class:`structsvm.StructuredSVM`.
    n_jobs : int, optional
        Number of threads, each with a block of the queries; as in
        :class:`structsvm.StructuredSVM`.
    early_stopping, validation_fraction, n_iter_no_change, random_state
        As in :class:`structsvm.StructuredSVM`; queries are held out.

    Attributes
    ----------
    C_ : float
        The C of the fit.
    coef_ : ndarray of shape (n_features,)
        The weights. There is no intercept, which would change no order.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The columns of X, where it is a DataFrame.
    w_, problem_, result_, n_iter_, validation_indices_, validation_scores_
        As in :class:`structsvm.StructuredSVM`; indices number the queries by their first rows.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import RankingSVM
    >>> rng = np.random.default_rng(0)
    >>> qid = np.repeat(np.arange(40), 8)
    >>> X = rng.normal(size=(320, 5))
    >>> y = (X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=320) > 1).astype(int)
    >>> svm = RankingSVM().fit(X[:160], y[:160], qid[:160])
    >>> svm.score(X[160:], y[160:], qid[160:]) > 0.8
    True
    >>> svm.predict(X[160:]).shape
    (160,)
    """

    def __init__(
        self,
        measure: str = "average_precision",
        k: int | None = None,
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
        self.measure = measure
        self.k = k
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

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        qid_val: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Train on documents X, their relevance y and their queries.

        Queries whose documents all have the same relevance, such as those of one document, teach
        nothing: their slack is 0. Their number is logged.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n_rows, n_features)
            Training converts it to float64; in ``predict`` float32 stays float32.
        y : array-like of shape (n_rows,)
            The grades of the documents: whole numbers from 0, which is not relevant, to 31.
        qid : array-like of shape (n_rows,)
            The query of every document: labels of any sortable kind, such as numbers or strings.
            The rows of a query need not be together.
        sample_weight : array-like of shape (n_rows,), optional
            The weight of the query that a row belongs to, the same for all its rows, >= 0: a query
            of weight 2 counts as two.
        X_val, y_val, qid_val : as X, y and qid, optional
            What ``early_stopping`` is to hold out, in place of some of the queries.
        checkpoint : Checkpoint or path-like, optional
            As in :class:`structsvm.StructuredSVM`.

        Returns
        -------
        RankingSVM
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            X, y and qid are unusable or of different lengths, no query has documents of different
            relevance, rows of a query have different weights, or a parameter is out of its range.
        """
        queries, order = self._queries(X, y, qid, reset=True)
        _log_idle(queries)
        weights = query_weights(sample_weight, order, queries.layout)
        mixed = np.unique(queries.splits.query)
        if len(mixed) and not weights[mixed].any():
            raise ValueError(
                "sample_weight is 0 for all queries that have documents of different relevance; "
                "there is nothing to learn"
            )
        self.C_ = chosen_C(self.C, lambda: _automatic_C(queries, weights))
        if X_val is not None:
            held_out, _ = self._queries(X_val, y_val, qid_val)
            X_val, y_val = held_out, held_out.truth
        with one_thread_if_sparse(queries.rows):
            super().fit(
                queries, queries.truth, weights, X_val=X_val, Y_val=y_val, checkpoint=checkpoint
            )
        self.coef_ = self.w_
        return self

    def predict(self, X: Any) -> Vector:
        """The score of every document: the higher, the more relevant within its query.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self, "w_")
        return row_scores(checked_rows(self, X, reset=False), self.w_)

    def score(  # type: ignore[override]
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None
    ) -> float:
        """The mean of the measure over the queries, as the rankings of LETOR are evaluated.

        A query without a relevant document counts 0; for 'roc_area', queries without documents of
        different grades are left out. Where documents have the same score the measure is its mean
        over their orders. 'precision_at_k' is divided by k, even if a query has fewer.

        Parameters
        ----------
        X, y, qid, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        ValueError
            The data are unusable, or for 'roc_area' no query has documents of different grades.
        """
        check_is_fitted(self, "w_")
        queries, order = self._queries(X, y, qid)
        scores = row_scores(queries.rows, self.w_)
        values = queries.measure.values(queries.relevance, queries.layout.sizes, scores)
        weights = np.where(np.isnan(values), 0, query_weights(sample_weight, order, queries.layout))
        if not weights.any():
            raise ValueError(
                "no query has documents of different grades, so that no pair is in the right order"
            )
        return float(weights @ np.nan_to_num(values) / weights.sum())

    def verify(  # type: ignore[override]
        self, X: Any, y: Any = None, qid: Any = None, sample_weight: Any = None
    ) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        The data are those given to ``fit``; what early stopping held out of them is left out.
        """
        check_is_fitted(self, "w_")
        queries, order = self._queries(X, y, qid)
        return super().verify(
            queries, queries.truth, query_weights(sample_weight, order, queries.layout)
        )

    def _problem(self) -> Problem:
        return RankingProblem(self.measure, self.k)

    def _run_options(self, problem: Problem, X: Any, Y: Any) -> dict[str, Any]:
        return {**super()._run_options(problem, X, Y), "C": self.C_}

    def _queries(self, X: Any, y: Any, qid: Any, reset: bool = False) -> tuple[Queries, Indices]:
        """The documents by query, and the rows of X in their order."""
        measure = ranking_measure(self.measure, self.k)
        if qid is None:
            raise ValueError("qid must say which query each row of X belongs to; it is None")
        require_not_swapped(X, y)
        rows = checked_rows(self, X, reset=reset)
        relevance = checked_grades("y", y, rows.shape[0])
        order, sizes = grouped(qid, rows.shape[0])
        if (np.diff(order) < 0).any():
            rows, relevance = rows[order], relevance[order]
        return Queries(rows, relevance, Layout(sizes), measure), order

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _automatic_C(queries: Queries, weights: Vector) -> float:
    """The number of queries over the mean squared distance of two documents of one query.

    Queries count by their weights.
    """
    require_powers(largest_entry(queries.rows), np.float64)
    some = np.unique(queries.splits.query)
    own, part = weights[some], queries[some]
    pairs = float(own @ (part.layout.sizes - 1))
    scatter = _scatter(part)
    if len(some) and not scatter.any():
        warn_user(
            "the features of documents do not differ within queries of different relevance, so "
            "that nothing can be learnt, and C='auto' takes 1 for their mean squared distance"
        )
    mean = 2 * float(own @ scatter) / pairs if pairs else 0.0
    return float(weights.sum() / (mean or 1.0))


def _scatter(queries: Queries) -> Vector:
    """For each query the sum over its documents x of ||x - mean||^2; 0 where that is rounding."""
    rows, layout = queries.rows, queries.layout
    rounding = layout.sizes * np.finfo(float).eps
    sums = layout.votes(np.ones(len(layout.owner))) @ rows
    if sparse.issparse(rows):
        squares = layout.votes(np.ones(len(layout.owner))) @ rows.astype(np.float64).power(2)
        total = np.asarray(squares.sum(axis=1)).ravel()
        between = np.asarray(sums.power(2).sum(axis=1)).ravel() / layout.sizes
        return np.where(total - between > rounding * total, total - between, 0)
    means, found, start = sums / layout.sizes[:, None], np.zeros(len(queries)), 0
    for block in row_blocks(rows):
        own = layout.owner[start : start + len(block)]
        squares = np.square(block - means[own]).sum(axis=1)
        found += np.bincount(own, squares, len(queries))
        start += len(block)
    between = layout.sizes * np.square(means).sum(axis=1)
    return np.where(found > rounding**2 * between, found, 0)


def _log_idle(queries: Queries) -> None:
    idle = len(queries) - len(np.unique(queries.splits.query))
    if idle:
        logger.info(
            "%d of %d queries have documents of one relevance only, and teach nothing",
            idle,
            len(queries),
        )
