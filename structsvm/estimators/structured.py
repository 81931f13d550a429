"""StructuredSVM: a scikit-learn estimator for any problem."""

from __future__ import annotations

from dataclasses import dataclass

from structsvm.contract.problem import Problem
from structsvm.estimators.training import StructuredEstimator
from structsvm.oracle.setup import copied


@dataclass(eq=False, repr=False)
class StructuredSVM(StructuredEstimator):
    """A structural SVM for any :class:`structsvm.Problem`.

    The other estimators share all parameters but ``problem``.

    Parameters
    ----------
    problem : Problem
        Defines inputs, outputs, joint features, loss and oracle. It is copied, never changed.
        Its own parameters can be searched as ``problem__name``.
    C : float, default=100.0
        Regularisation parameter, > 0: the weight of the mean slack in the objective of
        :mod:`structsvm.objective`. Larger C fits the training data more closely. The default is
        for losses of about 1: if all losses are s times as large, ``s * C`` gives the same
        predictions. :doc:`/appendix/defaults` shows how it was chosen.
    solver : 'auto' or solver object, default='auto'
        'auto' calls :func:`structsvm.choose_solver`; ``result_.solver`` says what it chose and
        why. A solver object has a tolerance and limits of its own; the next three parameters must
        then be None.
    rtol : float, optional
        Stop when the gap is at most ``rtol`` times the primal value, >= 0 and < 1. Default: the
        chosen solver's, 1e-3.
    max_iter : int, optional
        Largest number of passes over the data, >= 1. Default: the chosen solver's.
    time_limit : float, optional
        Seconds of wall time, > 0, tested after every pass. Default: no limit.
    warm_start : bool, default=False
        Start from the ``w_`` of the last fit; if only C or the weights of the examples have
        changed, and not the problem, the loss, X or y, from its planes too: see ``warm_start`` of
        :meth:`structsvm.OneSlackCuttingPlane.solve`.
    n_jobs : int, optional
        Number of blocks of examples that ``fit`` and ``predict`` evaluate at the same time, as in
        :meth:`structsvm.OneSlackCuttingPlane.solve`.
    callback : callable or list of callables, optional
        Called as ``callback(iteration, w)`` after every pass; a true return value stops. See
        :class:`structsvm.Callback`.
    verbose : bool, default=False
        Show a progress bar with the gap.
    early_stopping : bool, default=False
        Hold out some examples, and stop where their score rises no more:
        see :class:`structsvm.EarlyStopping`.
    validation_fraction : float, default=0.1
        The fraction of the examples that early stopping holds out at random, > 0 and < 1.
    n_iter_no_change : int, default=10
        Stop early after this many scores in a row that are no higher than the highest, >= 1.
    random_state : int, RandomState or None, default=0
        Seeds the draw of the held-out examples, and the start of :class:`structsvm.CCCP` where
        'auto' chooses it; a solver object has a ``random_state`` of its own.

    Attributes
    ----------
    C_ : float
        The C of the fit, whether or not examples are held out.
    w_ : ndarray of shape (size_joint_feature,)
        The weights.
    problem_ : Problem
        The initialized copy.
    result_ : Result
        Objective, gap, status and guarantee.
    n_iter_ : int
        Passes over the data.
    validation_indices_ : ndarray of shape (m,) or None
        The positions of the examples that early stopping held out of X, in rising order.
    validation_scores_ : list of float
        Their scores, in order.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> svm = StructuredSVM(Multiclass(), C=10.0).fit(X, ["a", "b", "c"])
    >>> print(svm.predict(X))
    ['a' 'b' 'c']
    >>> svm.score(X, ["a", "b", "b"])
    0.666...
    """

    problem: Problem

    def _problem(self) -> Problem:
        return copied(self.problem)
