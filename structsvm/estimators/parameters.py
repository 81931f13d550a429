"""The parameters that estimators share, each declared and described here alone.

An estimator is a dataclass that inherits them, and :func:`structsvm.docstrings.documented` puts
their descriptions into its docstring. ``eq`` and ``repr`` remain those of scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from structsvm.data.choices import Auto, ChoiceOfC
from structsvm.results.callbacks import Callbacks
from structsvm.solvers.shared.early_stopping import PATIENCE
from structsvm.solvers.shared.solver import Solver


@dataclass(kw_only=True, eq=False, repr=False)
class SolverParameters:
    """Parameters of a run of a solver.

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
    max_iter : int, optional
        Largest number of passes over the data, >= 1. Default: the chosen solver's.
    time_limit : float, optional
        Seconds of wall time, > 0, tested after every pass. Default: no limit.
    warm_start : bool, default=False
        Start the next fit from the ``w_`` of the last one. If the problem, the loss, X and y are
        the same, for example where only C changes, the planes are reused too.
    callback : callable or list of callables, optional
        Called as ``callback(iteration, w)`` after every pass; a true return value stops the fit.
        See :class:`structsvm.Callback`.
    verbose : bool, default=False
        Show a progress bar with the gap.
    """

    C: float | ChoiceOfC = 100.0
    solver: Solver | Auto = "auto"
    rtol: float | None = None
    max_iter: int | None = None
    time_limit: float | None = None
    warm_start: bool = False
    callback: Callbacks = None
    verbose: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class ExampleParameters(SolverParameters):
    """The parameters of a run, and those for several examples.

    Parameters
    ----------
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
    """

    n_jobs: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = PATIENCE
    random_state: Any = 0


@dataclass(kw_only=True, eq=False, repr=False)
class ScaleParameters:
    """The parameter of the estimators that bring the columns of a matrix to one scale.

    Parameters
    ----------
    scale : 'auto' or None, default='auto'
        With 'auto' columns of arrays are standardised, or divided by their root mean squares where
        no means can be subtracted, so that their units do not matter; so are columns of sparse
        matrices that are more than half full. Others, such as counts and tf-idf, are divided by the
        square root of their root mean square, and in sequences by a common divisor; their entries
        stay up to five times larger or smaller than is typical. A common factor makes the mean of
        ||x||^2 1. This is a part of the model: ``coef_`` and ``intercept_`` are for X as it was
        given. None leaves X as it is; C='auto' is then divided by the mean of ||x||^2, which is too
        small if few columns have most of it.
    """

    scale: Auto | None = "auto"
