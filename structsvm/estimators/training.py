"""The one way from examples to a fitted model: base class of the estimators of several examples."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from structsvm.contract.latent import annotated
from structsvm.data.arrays import Self
from structsvm.data.containers import listed, n_examples, require_examples, take
from structsvm.data.validation import checked_sample_weight
from structsvm.estimators.base import (
    SolverEstimator,
    outputs_called_y,
    warn_unless_converged,
)
from structsvm.estimators.cross_validation import Fold, dealt, example_fold, knowing
from structsvm.estimators.early_stopping import HoldsOut, about_held_out
from structsvm.estimators.encoded import Encoded
from structsvm.exceptions import ProblemError
from structsvm.oracle.examples import Examples, workers_for
from structsvm.results.verification import Verification


class StructuredEstimator(HoldsOut, SolverEstimator):
    """Base class of the estimators that train a problem on examples, and can stop early.

    An estimator says how examples are encoded, ``_encoded`` and ``_learned``, what the problem is,
    ``_problem``, and what C='auto' is, if it has a rule, ``_automatic_C``. ``_keep`` stores the
    weights as attributes with names and shapes of their own.
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        w_prior: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Fit the weights to inputs X and outputs y.

        A fit that fails leaves the last one as it was.

        Parameters
        ----------
        X : sequence of n inputs
            A list, an array, a Series of pandas or polars, or an array of pyarrow.
        y : sequence of n outputs
            None or annotations for a self-labelled problem.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean slack, >= 0 and not all 0: an example of weight 2
            counts as two, and one of weight 0 is ignored. Multiplying all weights by the same
            number changes only the C that 'auto' derives from their sum.
        w_prior : estimator or array-like of the shape of ``w_``, optional
            Weights known from experience: the regulariser is the squared distance from them, not
            from 0. A fitted estimator of the same class, for other data with the same features and
            outputs; or an array in the order of ``w_``, for the features as they are given, which
            ``w_`` itself is not where an estimator divides them by a ``scale_``.
        X_val, y_val : sequences of m inputs and outputs, optional
            Examples that ``early_stopping`` holds out, instead of a part of X and y.
        checkpoint : Checkpoint or path-like, optional
            A file to which the fit is saved now and then, and from which it goes on if the file
            exists: see :class:`structsvm.Checkpoint`.

        Returns
        -------
        estimator
            The estimator itself. A run that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ProblemError
            The problem broke its contract; the message names the method and the example.
        InfeasibleConstraintsError
            No w satisfies the problem's constraints.
        ArchiveError
            The checkpoint belongs to another training, or the file is incomplete.
        ValueError
            A parameter or the data are unusable.
        """
        self._require_parameters()
        if self.early_stopping is not False or X_val is not None or y_val is not None:
            self._require_held_out(X_val, y_val)
        with outputs_called_y(self):
            self._other = None if w_prior is None else self._source(w_prior)
            data = self._learned(X, y, sample_weight)
            held_out = None if X_val is None else self._checked_held_out(X_val, y_val)
            # On sparse rows only short operations are left for BLAS, whose threads would wait.
            few = sparse.issparse(data.rows)
            with threadpool_limits(1, user_api="blas") if few else nullcontext():
                self.C_ = self._chosen_C(data, partial(self._folds, data, w_prior))
                rule, self.validation_indices_ = None, None
                if self.early_stopping:
                    data, rule = self._divided(data, held_out)
                problem, train = self._prepared(
                    data,
                    w_prior,
                    early_stopping=rule,
                    checkpoint=checkpoint,
                    n_jobs=self.n_jobs,
                )
                result = train()
            self._keep(problem, result, data)
            del self._other
        warn_unless_converged(result)
        return self

    def _checked_held_out(self, X: Any, y: Any) -> Encoded:
        """The held-out examples, encoded; errors say that it is about these."""
        with about_held_out():
            return self._encoded(X, y)

    def _folds(self, data: Encoded, w_prior: Any) -> list[Fold]:
        """The folds of C='cv'."""
        if data.Y is None:
            raise ValueError(
                "C='cv' compares predictions with y, which is None; give examples with known "
                "outputs, or set C to a number or to the default"
            )
        if self.early_stopping:
            raise ValueError(
                "C='cv' and early_stopping=True both hold out examples against overfitting; set "
                "early_stopping=False, or C to a number or to the default"
            )
        problem = knowing(self._problem(), data)
        scored = np.intersect1d(annotated(data.X, data.Y), np.flatnonzero(data.weights))
        labels = take(data.Y, scored) if self.stratified else None
        parts = dealt(len(scored), labels, self.random_state)
        return [example_fold(self, problem, data, scored[part], w_prior) for part in parts]

    def predict(self, X: Any) -> Any:
        """Predict the output with the highest score for every input.

        Returns
        -------
        sequence of n outputs
            A list, or what ``decode`` of the problem's task returns; empty for no inputs.
        """
        return self._of_all(X, self._outputs)

    def _of_all(self, X: Any, function: Callable[[Any], Any]) -> Any:
        """Call a function with all inputs, encoded; an empty list where there are none."""
        check_is_fitted(self, "w_")
        X = listed(X)
        return function(self._encoded(X).X) if n_examples(X) else []

    def _outputs(self, inputs: Any) -> Any:
        """The outputs of highest score for encoded inputs."""
        with workers_for(self.n_jobs, self.problem_) as workers:
            examples = Examples(self.problem_, inputs, workers=workers)
            try:
                return examples.decode(self.w_)
            except ProblemError as error:
                of_input = isinstance(error.__cause__, (TypeError, ValueError, IndexError))
                if self.problem_.search_of_user or not of_input:
                    raise
                one = "predict takes a sequence of inputs; for one, predict([x])"
                raise ProblemError(f"{error} ({one})") from error.__cause__

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 - mean loss of the predictions, the loss divided by ``max_loss`` if known.

        Parameters
        ----------
        X : sequence of n inputs
        y : sequence of n outputs
            For a self-labelled problem, annotations; its ``evaluation_loss`` compares them with the
            predictions.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean.

        Returns
        -------
        float
            At most 1; at least 0 where ``max_loss`` is known.
        """
        check_is_fitted(self, "w_")
        X, Y, weights, _ = self._encoded(X, y, sample_weight)
        require_examples(X, y=Y)
        with outputs_called_y(), workers_for(self.n_jobs, self.problem_) as workers:
            return Examples(self.problem_, X, Y, workers=workers, weights=weights).score(self.w_)

    def verify(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        The data are those given to ``fit``; what early stopping held out of them is left out. Where
        labels were imputed, those of ``result_`` are verified, and y has no part in it.
        """
        check_is_fitted(self, "w_")
        X, Y, weights, _ = self._trained_on(self._encoded(X, y, sample_weight))
        with outputs_called_y():
            return self.result_.verify(self.problem_, X, Y, sample_weight=weights)

    # ------------------------------------------------------------------ hooks

    def _encoded(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        """Examples as the problem takes them, encoded as in the fit; by default as given."""
        X, y = listed(X), listed(y)
        return Encoded(X, y, checked_sample_weight(sample_weight, require_examples(X)))

    def _learned(self, X: Any, y: Any, sample_weight: Any) -> Encoded:
        """The examples of the fit, encoded; an estimator may learn the encoding from them."""
        return self._encoded(X, y, sample_weight)
