"""The result of a training run: the solution, its guarantees, and information on the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.objective.surrogate import Loss, Rescaling, Surrogate
from structsvm.planes.plane import SupportPlane
from structsvm.results.status import Outcome
from structsvm.results.verification import Verification, verify


@documented
@dataclass(frozen=True, repr=False)
class Result(Outcome):
    """The result of a run, returned by the solvers.

    ``help`` also shows the inherited parameters and attributes.

    Attributes
    ----------
    primal, dual, gap : float
        The objective at ``w`` (:mod:`structsvm.objective`), the value of the dual solution, and the
        gap between the two values. The attribute ``guarantee`` says which of the primal and the
        dual value are bounds of the optimum. Rounding errors are included: they are added to the
        primal value and subtracted from the dual value.
    tolerance : float
        The gap that the stopping rule allowed: the larger of ``atol``, and ``rtol`` times the
        primal value. With a prior, the tolerance is at least C * 1e-9 times the largest loss.
    oracle_calls : int
        Number of calls of the separation oracle. Each pass makes one call per example. A pass that
        only uses earlier outputs makes no calls.
    seconds : dict of str to float
        Wall times in seconds, with the keys 'oracle', 'joint_feature', 'qp' and 'total'.
    w : ndarray of shape (size_joint_feature,)
        The best point found.
    w_prior : ndarray of shape (size_joint_feature,) or None
        The prior; None if the run had no prior, or if ``support`` was not saved.
    labels : object
        The imputed labels that were used in training, for a self-labelled problem. None for other
        problems.
    support : tuple of SupportPlane, or None
        The planes of the dual solution, represented by outputs of the oracle. None if
        :func:`structsvm.save` saved the estimator without its certificate.
    multipliers : ndarray of shape (n_constraints,)
        The dual variables of the problem's constraints.
    n_examples : int
        Number of examples.
    rounding : float
        The sum of the rounding errors that ``gap`` contains (:mod:`structsvm.objective.rounding`).
    advice : str
        The part of ``message`` that says which features should be scaled, and by how much.
    C : float
        The value of the regularisation parameter C.
    rescaling : {'margin', 'slack'}
        Whether the loss rescaled the margin or the slack of an example.
    loss : {'hinge', 'softmax_margin', 'log_loss'}
        The convex loss that the run minimised in place of the problem's loss.
    solver : str
        The name of the solver. If 'auto' chose the solver, the reason for the choice is added.
    best_iteration : int or None
        With early stopping, the number of the pass with the highest score on the held-out examples.
        Passes are counted from 1. If several passes have the highest score, the last of these
        passes counts. Unless the run converged, ``w`` holds the weights of the pass with the
        highest score.
    """

    certificate: ClassVar[tuple[str, ...]] = ("support", "w_prior")

    w: Vector
    labels: Any
    support: tuple[SupportPlane, ...] | None
    multipliers: Vector
    n_examples: int
    rounding: float
    C: float = 1.0
    rescaling: Rescaling = "margin"
    loss: Loss = "hinge"
    solver: str = ""
    advice: str = ""
    best_iteration: int | None = None
    w_prior: Vector | None = None

    @property
    def message(self) -> str:
        """The reason why the run ended, and what to do about it."""
        return f"{super().message}{self.advice}"

    def _rows(self) -> dict[str, Any]:
        return super()._rows() | {"solver": self.solver}

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.solver}".rstrip()

    @property
    def surrogate(self) -> Surrogate:
        """The minimised surrogate of the loss."""
        return Surrogate(self.rescaling, self.loss)

    def verify(
        self,
        problem: Problem,
        X: Any,
        Y: Any = None,
        tol: float = 1e-6,
        sample_weight: Any = None,
        qp: Literal["cvxopt"] | None = None,
    ) -> Verification:
        """Recompute the primal value, the dual value and the gap from the data.

        The result provides w, the dual solution and any imputed labels. For the primal value, the
        oracle is called once per example at ``w``. For the dual value, the joint features and
        losses are computed for the outputs of every plane of the dual solution.

        Parameters
        ----------
        problem : Problem
            The problem of the run, or a variant of it, for example a variant with a stronger
            oracle. The problem is copied and not changed.
        X, Y : sequences
            The training data.
        tol : float, default=1e-6
            Largest allowed difference between recomputed and stored values, relative to
            abs(primal). Rounding errors are allowed in addition.
        sample_weight : array-like of shape (n,), optional
            The sample weights, if training used sample weights.
        qp : {'cvxopt'}, optional
            An independent solver for the quadratic program restricted to the support planes. The
            dual value must reach the optimum of the restricted program. The solver is cvxopt, with
            the licence GPL-3 (``pip install 'structured-svm[cvxopt]'``). The solution of cvxopt is
            made feasible, and its gap is recomputed. The check with cvxopt is possible for results
            of :class:`structsvm.OneSlackCuttingPlane`, :class:`structsvm.NSlackCuttingPlane` and
            :class:`structsvm.CCCP`, which solve quadratic programs. The check with cvxopt is
            possible for at most some hundreds of planes.

        Returns
        -------
        Verification
            The recomputed numbers. The flag ``matches`` is True if the recomputed numbers agree
            with the stored numbers, the dual variables are feasible and w satisfies the
            constraints. With an undergenerating oracle, the recomputed primal value may be lower
            than the stored value, because the run also used earlier outputs. The verification
            converts inputs in single precision to double precision.
        """
        return verify(self, problem, X, Y, sample_weight, tol, qp)
