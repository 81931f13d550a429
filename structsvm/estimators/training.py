"""StructuredEstimator: the base class of estimators that train a problem on examples."""

from __future__ import annotations

import copy
import logging
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from structsvm.contract.declarations import require_outputs
from structsvm.contract.latent import annotated
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.blocks import Blocks, Stored
from structsvm.data.choices import Auto, ChoiceOfC
from structsvm.data.containers import listed, n_examples, require_examples, take
from structsvm.data.fingerprints import fingerprint
from structsvm.data.validation import require_flag, require_n_jobs, require_number
from structsvm.estimators.cross_validation import Fold, dealt, example_fold, knowing, searched
from structsvm.estimators.early_stopping import (
    about_held_out,
    require_held_out,
    rule_of_early_stopping,
)
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.estimator import Estimator, outputs_called_y
from structsvm.estimators.prior import fitted_prior, prior_vector
from structsvm.estimators.row_space import is_wide, trained_in_row_space
from structsvm.exceptions import ProblemError, StructSVMError
from structsvm.objective.surrogate import Loss
from structsvm.oracle.examples import Examples, workers_for
from structsvm.results.callbacks import Callbacks
from structsvm.results.result import Result
from structsvm.results.verification import Verification
from structsvm.solvers.auto import Choice, choose_solver, chosen_solver, given_solver
from structsvm.solvers.shared.early_stopping import PATIENCE
from structsvm.solvers.shared.loop import Limits
from structsvm.solvers.shared.solver import Solver
from structsvm.task.spot_checks import sketch

if TYPE_CHECKING:
    from structsvm.reasons import Explanation

logger = logging.getLogger(__name__)

#: Number of training inputs whose sketches are kept, to detect later whether data were trained on.
REMEMBERED = 50


@dataclass(kw_only=True, eq=False, repr=False)
class StructuredEstimator(Estimator):
    """The base class of estimators that train a problem on examples.

    A subclass defines the encoding by ``_new_encoding`` and the problem by ``_problem``.
    ``_automatic_C`` returns the value of C='auto' if the estimator has such a value. ``_keep``
    stores the weights in attributes, with names and shapes that depend on the estimator.

    Parameters
    ----------
    C : float or 'cv', default=100.0
        Regularisation parameter, > 0: the weight of the mean slack in the objective (see
        :mod:`structsvm.objective`). A larger C fits the training data more closely. The default
        suits losses of about 1. Multiplying all losses and C by the same number leaves the
        predictions unchanged. :doc:`/appendix/defaults` shows how the default was chosen. 'cv'
        chooses C by cross-validation: see ``cv_scores_``.
    solver : 'auto' or solver object, default='auto'
        The solver. 'auto' calls :func:`structsvm.choose_solver`, and ``result_.solver`` names the
        chosen solver and the reason. A solver object has a separate tolerance and limits: leave
        ``rtol``, ``max_iter`` and ``time_limit`` at None.
    rtol : float, optional
        Relative tolerance, >= 0 and < 1. Training stops when the gap is at most ``rtol`` times the
        primal value. Default: 1e-3, for solvers that 'auto' chooses.
    warm_start : bool, default=False
        Whether to start the next fit from the last ``w_``. The cutting planes of the last fit are
        also reused if the problem, the loss, X and y have not changed, for example if only C has
        changed.
    callback : callable or list of callables, optional
        The fit calls ``callback(iteration, w)`` after every pass. A true return value stops the
        fit. See :class:`structsvm.Callback`.
    n_jobs : int, optional
        Number of blocks of examples that ``fit`` and ``predict`` evaluate at the same time. -1
        means all processors, and None means 1 unless ``joblib.parallel_config`` sets a number. The
        result is the same to the last bit for every ``n_jobs``.
    early_stopping : bool, default=False
        Whether to hold out some examples, and to stop when the score of the held-out examples no
        longer rises: see
        :class:`structsvm.EarlyStopping`.
    validation_fraction : float, default=0.1
        The fraction of the examples that early stopping holds out at random, > 0 and < 1.
    n_iter_no_change : int, default=10
        Number of successive scores without a new maximum, >= 1, after which early stopping ends the
        fit.
    random_state : int, RandomState or None, default=0
        Seed of the choice of held-out examples. If 'auto' chooses :class:`structsvm.CCCP`, this
        solver uses the seed, too. A solver object has a separate ``random_state``.

    Attributes
    ----------
    C_ : float
        The value of C that the fit used.
    problem_ : Problem
        The trained problem, which is initialized.
    C_path_ : ndarray of shape (n_C,) or None
        With C='cv', the tried values of C in rising order. None if C is a number or 'auto'.
    cv_scores_ : ndarray of shape (n_C, n_folds) or None
        With C='cv', the scores of the values in ``C_path_`` on held-out examples. ``C_`` is the
        value with the highest mean score, or the smallest of several values with equal scores. The
        folds are two halves of the examples, drawn by ``random_state`` if the estimator has one.
        Each training set is half of the examples, and is used with half of C. The search for the
        best C goes from the default C up or down by factors of 10 until the mean score no longer
        rises. The tolerance of the search is 0.1 unless ``rtol`` is set. The last fit trains on all
        examples. A time limit applies to each fit. A score is 1 minus the mean loss, as in
        :meth:`structsvm.StructuredSVM.score`. With ``loss='log_loss'``, a score is minus the mean
        log loss. The encoding of examples, such as a ``scale_``, is learned from all examples.
    w_ : ndarray of shape (size_joint_feature,)
        The weights, in the order of the joint feature.
    validation_indices_ : ndarray of shape (m,) or None
        The indices of the examples in X that early stopping held out, in rising order. None if no
        example of X was held out.
    validation_scores_ : list of float
        The scores of the held-out examples, one for each pass that computed a score. Empty without
        early stopping.
    """

    C: float | ChoiceOfC = 100.0
    solver: Solver | Auto = "auto"
    rtol: float | None = None
    warm_start: bool = False
    callback: Callbacks = None
    n_jobs: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = PATIENCE
    random_state: Any = 0

    if TYPE_CHECKING:
        result_: Result = field(init=False)

    #: The surrogate of the loss, which is a parameter of estimators that allow several.
    loss: Loss = field(init=False, default="hinge")
    #: Tolerance for the solver that 'auto' chooses; None for the default of the solver.
    default_rtol: ClassVar[float | None] = None
    #: Whether the held-out examples have the same proportions of outputs as all examples.
    stratified = False

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _problem(self) -> Problem:
        """Return a new problem for the parameters and the encoding, without initializing it."""

    def _require_parameters(self) -> None:
        require_flag("warm_start", self.warm_start)
        if not (isinstance(self.C, str) and self.C in ("auto", "cv")):
            words = "'auto' or 'cv'" if type(self).C == "auto" else "'cv'"
            require_number(f"C, if not {words},", self.C, "> 0")

    def _require_loss_counts(self, name: str) -> None:
        """Raise a ValueError if the log loss makes the parameter ``name`` useless."""
        if self.loss == "log_loss":
            raise ValueError(
                f"{name} would have no effect: it changes the loss, which loss='log_loss' leaves "
                "out; use loss='softmax_margin' or 'hinge', or weigh examples by "
                "sample_weight"
            )

    def _automatic_C(self, data: Encoded) -> float:
        """Return the value that C='auto' stands for."""
        raise ValueError(
            f"{type(self).__name__} has no rule for C='auto'; C must be a finite number > 0"
        )

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        """Return the solver that 'auto' stands for, with the defaults of this estimator."""
        choice = choose_solver(problem, X, Y, self.loss)
        if self.default_rtol is not None:
            choice.solver.set_params(rtol=self.default_rtol)
        if hasattr(choice.solver, "random_state"):
            seed = self.random_state
            if isinstance(seed, np.random.RandomState):  # solvers use a Generator
                seed = seed.randint(2**31 - 1)
            choice.solver.set_params(random_state=seed)
        return choice

    def _first_w(self, problem: Problem, data: Encoded, solver: Solver, C: float) -> Vector | None:
        """Return the first w of a fit without warm start or checkpoint. None stands for 0."""
        return None

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.w_: Vector = result.w
        n = len(data.weights)
        places = np.linspace(0, n - 1, min(n, REMEMBERED)).astype(np.intp)
        self._remembered = [*map(sketch, map(data.X.__getitem__, places.tolist()))]

    # ------------------------------------------------------------------ fit

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

        If the fit fails, the estimator keeps the attributes of its last fit.

        Parameters
        ----------
        X : sequence of n inputs
            The inputs: a list, an array, a Series of pandas or polars, or an array of pyarrow.
        y : sequence of n outputs
            The outputs. For a self-labelled problem, annotations or None.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean slack, >= 0 and not all 0. An example with weight 2
            counts as two examples, and an example with weight 0 does not count. Only the ratios of
            the weights matter, except for the value of C='auto', which may depend on the sum of the
            weights.
        w_prior : estimator or array-like of the shape of ``w_``, optional
            Prior weights. With a prior, the regulariser is half the squared distance of w from the
            prior weights, instead of from 0. The prior may be an estimator of the same class,
            fitted to other data with the same features and outputs. The prior may also be an array
            of weights for the original features, in the order of ``w_``. Note that ``w_`` is for
            scaled features if the estimator has a ``scale_``.
        X_val, y_val : sequences of m inputs and outputs, optional
            Held-out examples for ``early_stopping``. If ``X_val`` and ``y_val`` are passed, no part
            of X and y is held out.
        checkpoint : Checkpoint or path-like, optional
            A file to which the fit is saved at intervals. If the file exists, the fit resumes from
            the file: see :class:`structsvm.Checkpoint`.

        Returns
        -------
        estimator
            The estimator itself. A ``ConvergenceWarning`` of scikit-learn is given if the run did
            not converge.

        Raises
        ------
        ProblemError
            If a method of the problem broke the contract. The message names the method and the
            example.
        InfeasibleConstraintsError
            If no w satisfies the problem's constraints.
        ArchiveError
            If the checkpoint is incomplete, or from different data or parameters.
        ValueError
            If a parameter or the data are unusable.
        """
        self._require_parameters()
        if isinstance(X, Blocks):
            self._require_possible_with_blocks(X_val, checkpoint)
        if self.early_stopping is not False or X_val is not None or y_val is not None:
            require_held_out(self.early_stopping, X_val, y_val)
        prior = None if w_prior is None else fitted_prior(self, w_prior)
        last = getattr(self, "_encoding", None) if self.warm_start else None
        with self._fitting(X, y, sample_weight, prior) as data:
            problem, train, data = self._prepared(
                data, w_prior=w_prior, prior=prior, last=last, X_val=X_val, y_val=y_val,
                checkpoint=checkpoint,
            )  # fmt: skip
            with blas_for(data):
                result = train()
            if isinstance(data.X, Stored):  # whose files are deleted
                result = replace(result, support=None)
            self._keep(problem, result, data)
        return self

    def _prepared(
        self,
        data: Encoded,
        *,
        w_prior: Any = None,
        prior: Any = None,
        last: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        checkpoint: Any = None,
    ) -> tuple[Problem, Callable[[], Result], Encoded]:
        """Return the problem, a function that trains it, and the examples to train on."""
        if last is not None and not self._encoding.continues(last):
            raise ValueError(
                "warm_start continues the last fit, whose features or labels were others; give the "
                "same, or set warm_start=False"
            )
        held_out, rule, w = None, None, None
        self.validation_indices_: Indices | None = None
        if X_val is not None:
            with about_held_out():
                held_out = self._encoded(X_val, y_val)
        if w_prior is not None:
            w = prior_vector(self, w_prior, prior, self._problem(), data)
        self.C_: float = self._chosen_C(data, partial(self._folds, data, w))
        if self.early_stopping:
            rule, self.validation_indices_ = rule_of_early_stopping(self, data, held_out)
            data = self._trained_on(data)
        problem = self._problem()
        options = {"early_stopping": rule, "checkpoint": checkpoint, "n_jobs": self.n_jobs}
        return problem, self._training(problem, data, self.C_, w, **options), data

    def _require_possible_with_blocks(self, X_val: Any, checkpoint: Any) -> None:
        """Raise an error for options that need all examples in memory, and for wrong parameters."""
        options = {
            "C='cv'": isinstance(self.C, str) and self.C == "cv",
            "early_stopping without X_val": self.early_stopping and X_val is None,
            "checkpoint": checkpoint is not None,
        }
        for name, is_given in options.items():
            if is_given:
                raise ValueError(f"{name} needs all examples in memory: leave it out with Blocks")
        probe = copy.copy(self)
        probe._encoding = self._new_encoding()
        if probe._encoding.learn_blocks is not None:
            problem = probe._problem()
            solver = probe._resolved_solver(problem, (), None)
            Limits(solver.max_iter, solver.time_limit, self.callback, self.verbose).check()
            require_n_jobs(self.n_jobs)
            solver.check_parameters(problem, 1.0)

    def _chosen_C(self, data: Encoded, folds: Callable[[], Sequence[Fold]]) -> float:
        """Return C as a number, also for 'auto' and 'cv'. ``folds`` returns the folds of 'cv'."""
        self.C_path_: Vector | None = None
        self.cv_scores_: Vector | None = None
        default = type(self).C
        if isinstance(self.C, str) and self.C == "auto":
            return self._automatic_C(data)
        if isinstance(self.C, str) and self.C == "cv":
            first = self._automatic_C(data) if isinstance(default, str) else default
            self.C_path_, self.cv_scores_ = searched(first, folds())
            return float(self.C_path_[self.cv_scores_.mean(axis=1).argmax()])
        return float(self.C)

    def _folds(self, data: Encoded, prior: Vector | None) -> list[Fold]:
        """Return the folds of the cross-validation that chooses C."""
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
        return [example_fold(self, problem, data, scored[part], prior) for part in parts]

    def _training(
        self, problem: Problem, data: Encoded, C: float, prior: Vector | None, **options: Any
    ) -> Callable[[], Result]:
        """Return a function that trains a problem.

        If few rows have many columns, the problem is trained on coordinates in the row space. If
        a prior, a callback, a checkpoint, early stopping or a warm start needs a weight for each
        column, the problem is trained on all columns.
        """
        encoding, saved = self._encoding, options.get("checkpoint")
        called = self.callback is not None or self._fit_task is not None
        points = prior is not None or called or options.get("early_stopping")
        wide = encoding.spans_rows and is_wide(data.rows)
        if not wide or self.warm_start or points or saved is not None:
            return self._from_best_start(problem, data, C, prior, **options)
        start = partial(self._from_best_start, problem, C=C, prior=None, **options)
        return partial(trained_in_row_space, encoding, problem, data, start)

    def _from_best_start(
        self, problem: Problem, data: Encoded, C: float, prior: Vector | None, **options: Any
    ) -> Callable[[], Result]:
        """Return a function that runs the solver from the best start available."""
        X, Y = data.X, data.Y
        own_hash = _hash((problem, X, Y)) if self.warm_start else None
        solver = self._resolved_solver(problem, X, Y)
        start: dict[str, Any] = {"w0": None}
        if self.warm_start and hasattr(self, "w_"):
            start = self._start(own_hash, solver)
        self._trained_on_hash = own_hash
        if solver.needs_labels:
            require_outputs(type(self).__name__, Y, "y")
        if prior is not None and prior.any():
            if not solver.needs_labels and start["w0"] is None:
                start["w0"] = prior  # the prior imputes labels best
        elif start["w0"] is None and "warm_start" not in start:
            start["w0"] = self._first_w(problem, data, solver, C)
        weights = data.weights if np.ptp(data.weights) else None
        callback = self.callback
        if self._fit_task is not None:
            callback = self._fit_task.of(problem, data, callback)
        return partial(
            solver.solve, problem, X, Y, C, sample_weight=weights, w_prior=prior,
            callback=callback, verbose=self.verbose, copy=False, **start, **options,
        )  # fmt: skip

    def _resolved_solver(self, problem: Problem, X: Any, Y: Any) -> Any:
        """Return the user's solver, or for 'auto' the solver chosen for this problem and data."""
        given: dict[str, Any] = {}
        for name in ("rtol", "max_iter", "time_limit"):
            if getattr(self, name) is not None:
                given[name] = getattr(self, name)
        if isinstance(self.solver, str) and self.solver == "auto":
            return chosen_solver(self._choice(problem, X, Y), given)
        if self.loss != "hinge":
            given["loss"] = self.loss
        if isinstance(self.solver, Solver) and not given:
            return self.solver
        return given_solver(self.solver, given)

    def _start(self, own_hash: str | None, solver: Solver) -> dict[str, Any]:
        """Return w of the last fit, and its planes if data and loss have not changed.

        ``own_hash`` is the hash of the current data, or None.
        """
        same = own_hash is not None and own_hash == self._trained_on_hash
        # Planes of a self-labelled problem are not reused, since it would impute other labels.
        if same and self.result_.labels is None and self.result_.surrogate == solver.surrogate:
            return {"w0": None, "warm_start": self.result_}
        return {"w0": self.w_}

    # ------------------------------------------------------------------ after fit

    def predict(self, X: Any) -> Any:
        """Predict the output with the highest score for every input.

        Returns
        -------
        sequence of n outputs
            The predicted outputs, as a list or in the container that ``decode`` of the problem's
            task returns. An empty X gives an empty sequence.
        """
        return self._of_all(X, lambda inputs: self._encoding.decoded(self._outputs(inputs)))

    def _of_all(self, X: Any, function: Callable[[Any], Any]) -> Any:
        """Call a function with all encoded inputs. Return an empty list if X is empty."""
        check_is_fitted(self, "w_")
        X = listed(X)
        return function(self._encoded(X).X) if n_examples(X) else []

    def _bound(self, X: Any) -> Any:
        """Return the problem's task for a sequence of inputs, or None if X is a single input."""
        return self.problem_.task(self._encoded(X).X)

    def _predicted(self, X: Any) -> Any:
        """Return the predictions for a sequence of inputs."""
        return self.predict(X)

    def explain(self, x: Any, *, instead: Any = None) -> Explanation:
        """Explain the prediction for one input: see :func:`structsvm.reasons.explain`."""
        from structsvm.reasons import explain

        return explain(self, x, instead=instead)

    def _alone(self, x: Any, y: Any = None) -> Encoded:
        """Encode one example. y may be None."""
        one = x[None] if isinstance(x, np.ndarray) and x.ndim == 1 else [x]
        return self._encoded(one, None if y is None else [y])

    def _outputs(self, inputs: Any) -> Any:
        """Return the highest-scoring outputs for encoded inputs."""
        with workers_for(self.n_jobs, self.problem_) as workers:
            examples = Examples(self.problem_, inputs, workers=workers)
            try:
                return examples.decode(self.w_)
            except ProblemError as error:
                cause = error.__cause__
                of_input = isinstance(cause, (TypeError, ValueError, IndexError))
                known = isinstance(cause, StructSVMError)  # it already says what is wrong
                if self.problem_.search_of_user or not of_input or known:
                    raise
                one = "predict takes a sequence of inputs; for one, predict([x])"
                raise ProblemError(f"{error} ({one})") from error.__cause__

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 minus the mean loss of the predictions, relative to ``max_loss`` if it is set.

        Parameters
        ----------
        X : sequence of n inputs
        y : sequence of n outputs
            The true outputs. For a self-labelled problem, the annotations. ``evaluation_loss``
            compares predictions with annotations.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the mean loss.

        Returns
        -------
        float
            The score, which is at most 1. The score is at least 0 if the problem sets ``max_loss``.
        """
        check_is_fitted(self, "w_")
        X, Y, weights, _ = self._encoded(X, y, sample_weight)
        require_examples(X, y=Y)
        with outputs_called_y(), workers_for(self.n_jobs, self.problem_) as workers:
            return Examples(self.problem_, X, Y, workers=workers, weights=weights).score(self.w_)

    def verify(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        X and y must be the data that were passed to ``fit``. The method skips examples that early
        stopping held out. If labels were imputed, the certificate is for the labels in ``result_``,
        and y is not used.
        """
        check_is_fitted(self, "w_")
        X, Y, weights, _ = self._trained_on(self._encoded(X, y, sample_weight))
        with outputs_called_y():
            return self.result_.verify(self.problem_, X, Y, sample_weight=weights)

    def _trained_on(self, data: Encoded) -> Encoded:
        """Return the examples that were not held out."""
        if self.validation_indices_ is None:
            return data
        return data.part(np.delete(np.arange(len(data.weights)), self.validation_indices_))

    @property
    def validation_scores_(self) -> list[float]:
        """The scores of the held-out examples at each evaluated pass. Empty without early stopping.

        A score is 1 minus the mean loss of the predictions at a pass, as in
        :class:`structsvm.EarlyStopping` and :meth:`structsvm.StructuredSVM.score`. Some estimators
        define ``score`` differently from ``validation_scores_``. For example, the ``score`` of
        :class:`structsvm.problems.ChainSVM` is the fraction of correct labels. The loss of ChainSVM
        is the number of wrong labels in a sequence; a mean loss above 1 gives a validation score
        below 0. ``result_.history`` shows the pass of each score.
        """
        scores = (iteration.validation_score for iteration in self.result_.history)
        return [score for score in scores if score is not None]

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, as in scikit-learn's ``BaseEstimator``.

        Raises
        ------
        ValueError
            If a parameter does not exist. For example, ``solver__rtol`` does not exist if the
            solver is 'auto'.
        """
        solver = params.get("solver", self.solver)
        nested = [name for name in params if name.startswith("solver__")]
        if nested and isinstance(solver, str):
            name = nested[0].removeprefix("solver__")
            argument = f"{name}={params[nested[0]]!r}"
            here = f"{argument}, or " if name in self.get_params(deep=False) else ""
            raise ValueError(
                f"{nested[0]} is a parameter of a solver object, but solver={solver!r}: write "
                f"{here}a solver with this parameter, such as "
                f"solver=OneSlackCuttingPlane({argument})"
            )
        return super().set_params(**params)


def blas_for(data: Encoded) -> AbstractContextManager[Any]:
    """Return a context in which BLAS uses only one thread if the rows are sparse."""
    few = sparse.issparse(data.rows)
    return threadpool_limits(1, user_api="blas") if few else nullcontext()


def _hash(data: Any) -> str | None:
    """Return a hash of the data, or None if the data cannot be pickled."""
    try:
        return fingerprint(data)
    except Exception as error:
        logger.debug("the data of this fit cannot be compared with those of others: %s", error)
        return None
