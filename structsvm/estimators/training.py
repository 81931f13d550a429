"""StructuredEstimator: the base class of the estimators that train a problem on examples."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
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
from structsvm.data.choices import Auto, ChoiceOfC
from structsvm.data.containers import listed, n_examples, require_examples, take
from structsvm.data.fingerprints import fingerprint
from structsvm.data.validation import require_flag, require_number
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
from structsvm.solvers.shared.solver import Solver
from structsvm.task.spot_checks import sketch

if TYPE_CHECKING:
    from structsvm.reasons import Explanation

logger = logging.getLogger(__name__)

#: Training inputs whose sketches are kept, to see later whether other data were trained on.
REMEMBERED = 50


@dataclass(kw_only=True, eq=False, repr=False)
class StructuredEstimator(Estimator):
    """Base class of the estimators that train a problem on examples.

    An estimator says how examples are encoded, ``_new_encoding``, what the problem is,
    ``_problem``, and what C='auto' is, if it has a rule, ``_automatic_C``. ``_keep`` stores the
    weights as attributes with names and shapes of their own.

    Parameters
    ----------
    C : float or 'cv', default=100.0
        Regularisation parameter, > 0: the weight of the mean slack in the objective of
        :mod:`structsvm.objective`. Larger C fits the training data more closely. The default is
        for losses of about 1: if all losses are s times as large, ``s * C`` gives the same
        predictions. :doc:`/appendix/defaults` shows how it was chosen.
        'cv' chooses by cross-validation: see ``cv_scores_``.
    solver : 'auto' or solver object, default='auto'
        'auto' calls :func:`structsvm.choose_solver`; ``result_.solver`` says what it chose and
        why. A solver object has its own tolerance and limits: leave ``rtol``, ``max_iter`` and
        ``time_limit`` None.
    rtol : float, optional
        Stop when the gap is at most ``rtol`` times the primal value, >= 0 and < 1. Default: the
        chosen solver's, 1e-3.
    warm_start : bool, default=False
        Start the next fit from the ``w_`` of the last one. If the problem, the loss, X and y are
        the same, for example where only C changes, the planes are reused too.
    callback : callable or list of callables, optional
        Called as ``callback(iteration, w)`` after every pass; a true return value stops the fit.
        See :class:`structsvm.Callback`.
    n_jobs : int, optional
        Number of blocks of examples that ``fit`` and ``predict`` evaluate at the same time: -1 for
        all processors, None for 1 unless ``joblib.parallel_config`` says otherwise. The result is
        the same to the last bit.
    early_stopping : bool, default=False
        Hold out some examples, and stop when their score stops rising: see
        :class:`structsvm.EarlyStopping`.
    validation_fraction : float, default=0.1
        The fraction of the examples that early stopping holds out at random, > 0 and < 1.
    n_iter_no_change : int, default=10
        Stop early after this many scores in a row that do not exceed the highest, >= 1.
    random_state : int, RandomState or None, default=0
        Seeds the choice of held-out examples, and the start of :class:`structsvm.CCCP` where
        'auto' chooses it. A solver object has its own ``random_state``.

    Attributes
    ----------
    C_ : float
        The C of the fit.
    problem_ : Problem
        The problem that was solved, initialized.
    C_path_ : ndarray of shape (n_C,) or None
        With C='cv' the values that were tried, rising; else None.
    cv_scores_ : ndarray of shape (n_C, n_folds) or None
        With C='cv' their scores on held-out examples; ``C_`` has the highest mean, of several the
        smallest. The folds are two halves, drawn by ``random_state`` if there is one, each trained
        on with half of C; the search goes from the default C up or down by factors of 10 until the
        mean rises no more, at a tolerance of 0.1 unless ``rtol`` is given; then all examples are
        trained on. A time limit is for each fit. A score is 1 - mean loss, as
        :meth:`structsvm.StructuredSVM.score` defines it, or minus the mean log loss with
        ``loss='log_loss'``. What the fit learns to encode examples, such as a ``scale_``, is from
        all of them.
    w_ : ndarray of shape (size_joint_feature,)
        The weights, in the order of the joint feature.
    validation_indices_ : ndarray of shape (m,) or None
        The positions of the examples that early stopping held out of X, in rising order; None if
        it held out none.
    validation_scores_ : list of float
        Their score at each pass that evaluated it; empty without early stopping.
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

    #: The surrogate of the loss; a parameter where there are others.
    loss: Loss = field(init=False, default="hinge")
    #: Tolerance for the solver that 'auto' chooses, if not the solver's own default.
    default_rtol: ClassVar[float | None] = None
    #: Whether the held-out examples have the same proportions of outputs as all examples.
    stratified = False

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _problem(self) -> Problem:
        """A new problem, which ``fit`` initializes; the encoding has learned before."""

    def _require_parameters(self) -> None:
        require_flag("warm_start", self.warm_start)

    def _require_loss_counts(self, name: str) -> None:
        """Raise a ValueError where ``name``, which changes the loss alone, would have no effect."""
        if self.loss == "log_loss":
            raise ValueError(
                f"{name} would have no effect: it changes the loss, which loss='log_loss' leaves "
                "out; use loss='softmax_margin' or 'hinge', or weigh examples by "
                "sample_weight"
            )

    def _automatic_C(self, data: Encoded) -> float:
        """The value that C='auto' stands for."""
        raise ValueError(
            f"{type(self).__name__} has no rule for C='auto'; C must be a finite number > 0"
        )

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        """The solver that 'auto' stands for, with the defaults of this estimator."""
        choice = choose_solver(problem, X, Y, self.loss)
        if self.default_rtol is not None:
            choice.solver.set_params(rtol=self.default_rtol)
        if hasattr(choice.solver, "random_state"):
            seed = self.random_state
            if isinstance(seed, np.random.RandomState):  # solvers draw with a Generator
                seed = seed.randint(2**31 - 1)
            choice.solver.set_params(random_state=seed)
        return choice

    def _first_w(self, problem: Problem, data: Encoded, solver: Solver, C: float) -> Vector | None:
        """The w to start from if nothing is known of it; None for 0."""
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
        """The problem, a function that trains it, and the examples that are trained on."""
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

    def _chosen_C(self, data: Encoded, folds: Callable[[], Sequence[Fold]]) -> float:
        """C, or the value that 'auto' or 'cv' stands for; ``folds`` makes those to compare by."""
        self.C_path_: Vector | None = None
        self.cv_scores_: Vector | None = None
        default = type(self).C
        if isinstance(self.C, str) and self.C == "auto":
            return self._automatic_C(data)
        if isinstance(self.C, str) and self.C == "cv":
            first = self._automatic_C(data) if isinstance(default, str) else default
            self.C_path_, self.cv_scores_ = searched(first, folds())
            return float(self.C_path_[self.cv_scores_.mean(axis=1).argmax()])
        words = "'auto' or 'cv'" if default == "auto" else "'cv'"
        require_number(f"C, if not {words},", self.C, "> 0")
        return float(self.C)

    def _folds(self, data: Encoded, prior: Vector | None) -> list[Fold]:
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
        return [example_fold(self, problem, data, scored[part], prior) for part in parts]

    def _training(
        self, problem: Problem, data: Encoded, C: float, prior: Vector | None, **options: Any
    ) -> Callable[[], Result]:
        """A function that trains a new problem, in the space of the rows where they are wide.

        Not if points are given by the user, or to the user, with a weight for each column.
        """
        encoding, saved = self._encoding, options.get("checkpoint")
        told = self.callback is not None or self._fit_task is not None
        points = prior is not None or told or options.get("early_stopping")
        wide = encoding.spans_rows and is_wide(data.rows)
        if not wide or self.warm_start or points or saved is not None:
            return self._from_best_start(problem, data, C, prior, **options)
        start = partial(self._from_best_start, problem, C=C, prior=None, **options)
        return partial(trained_in_row_space, encoding, problem, data, start)

    def _from_best_start(
        self, problem: Problem, data: Encoded, C: float, prior: Vector | None, **options: Any
    ) -> Callable[[], Result]:
        """A function that runs the solver, from the best start that is known."""
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
                start["w0"] = prior  # labels are best imputed by what is known from experience
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
        """The solver given, or for 'auto' the one chosen for this problem and data."""
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
        """The w of the last fit; its planes too where data and loss are the same.

        ``own_hash`` is that of the data, or None.
        """
        same = own_hash is not None and own_hash == self._trained_on_hash
        # A self-labelled problem would impute other labels.
        if same and self.result_.labels is None and self.result_.surrogate == solver.surrogate:
            return {"w0": None, "warm_start": self.result_}
        return {"w0": self.w_}

    # ------------------------------------------------------------------ after fit

    def predict(self, X: Any) -> Any:
        """Predict the output with the highest score for every input.

        Returns
        -------
        sequence of n outputs
            A list, or what ``decode`` of the problem's task returns; empty for no inputs.
        """
        return self._of_all(X, lambda inputs: self._encoding.decoded(self._outputs(inputs)))

    def _of_all(self, X: Any, function: Callable[[Any], Any]) -> Any:
        """Call a function with all inputs, encoded; an empty list where there are none."""
        check_is_fitted(self, "w_")
        X = listed(X)
        return function(self._encoded(X).X) if n_examples(X) else []

    def _bound(self, X: Any) -> Any:
        """The problem's task of a sequence of inputs; None where there is one input of all rows."""
        return self.problem_.task(self._encoded(X).X)

    def _predicted(self, X: Any) -> Any:
        """The predictions for a sequence of inputs."""
        return self.predict(X)

    def explain(self, x: Any, *, instead: Any = None) -> Explanation:
        """Explain the prediction for one input: see :func:`structsvm.reasons.explain`."""
        from structsvm.reasons import explain

        return explain(self, x, instead=instead)

    def _alone(self, x: Any, y: Any = None) -> Encoded:
        """One example, encoded; y may be None."""
        one = x[None] if isinstance(x, np.ndarray) and x.ndim == 1 else [x]
        return self._encoded(one, None if y is None else [y])

    def _outputs(self, inputs: Any) -> Any:
        """The outputs of highest score for encoded inputs."""
        with workers_for(self.n_jobs, self.problem_) as workers:
            examples = Examples(self.problem_, inputs, workers=workers)
            try:
                return examples.decode(self.w_)
            except ProblemError as error:
                cause = error.__cause__
                of_input = isinstance(cause, (TypeError, ValueError, IndexError))
                known = isinstance(cause, StructSVMError)  # it says what is wrong
                if self.problem_.search_of_user or not of_input or known:
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

    def _trained_on(self, data: Encoded) -> Encoded:
        """The examples that were not held out."""
        if self.validation_indices_ is None:
            return data
        return data.part(np.delete(np.arange(len(data.weights)), self.validation_indices_))

    @property
    def validation_scores_(self) -> list[float]:
        """The scores of the held-out examples, in order; empty without early stopping.

        Each is 1 - mean loss of the predictions at a pass, as :class:`structsvm.EarlyStopping` and
        :meth:`structsvm.StructuredSVM.score` define it. ``score`` of another estimator may measure
        something else: for :class:`structsvm.problems.ChainSVM` it is the fraction of right labels,
        and the loss the number of wrong ones in a sequence, so that the scores here may be below 0.
        ``result_.history`` says which passes they belong to.
        """
        scores = (iteration.validation_score for iteration in self.result_.history)
        return [score for score in scores if score is not None]

    def set_params(self, **params: Any) -> Self:
        """Set parameters; see scikit-learn's ``BaseEstimator``.

        Raises
        ------
        ValueError
            The parameter does not exist, for example ``solver__rtol`` where the solver is 'auto'.
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
    """A context with one thread of BLAS for sparse rows: short operations are left, others wait."""
    few = sparse.issparse(data.rows)
    return threadpool_limits(1, user_api="blas") if few else nullcontext()


def _hash(data: Any) -> str | None:
    """A hash of the data; None where they cannot be pickled."""
    try:
        return fingerprint(data)
    except Exception as error:
        logger.debug("the data of this fit cannot be compared with those of others: %s", error)
        return None
