"""The result of a run: the solution, its guarantees, and how it was computed."""

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

    Shared parameters and attributes are added at import: see ``help``.

    Attributes
    ----------
    primal, dual, gap : float
        The objective at ``w`` (:mod:`structsvm.objective`), the value of the dual solution, and
        their difference. ``guarantee`` says which of the two values are bounds of the optimum.
        Rounding errors are included: they are added to the objective and subtracted from the dual
        value.
    tolerance : float
        The gap that the stopping rule allowed: the larger of ``atol`` and ``rtol`` times the primal
        value. If the primal value is 0 at the prior, C times the largest loss takes its place.
    oracle_calls : int
        Number of calls of the separation oracle, one per example and pass. A pass that only refines
        earlier outputs makes no calls.
    seconds : dict of str to float
        Wall time in seconds, for 'oracle', 'joint_feature', 'qp' and 'total'.
    w : ndarray of shape (size_joint_feature,)
        The best point found.
    w_prior : ndarray of shape (size_joint_feature,) or None
        The prior; None if there is none, or if ``support`` was not saved.
    labels : object
        The labels that were trained on, for a self-labelled problem. None for other problems.
    support : tuple of SupportPlane, or None
        The planes of the dual solution, as oracle outputs. None in an estimator that was saved
        without them: see :func:`structsvm.save`.
    multipliers : ndarray of shape (n_constraints,)
        The dual variables of the problem's constraints.
    n_examples : int
        Number of examples.
    rounding : float
        The sum of the rounding errors in ``gap`` (:mod:`structsvm.objective.rounding`).
    advice : str
        The part of ``message`` that says which features to scale, and by how much.
    C : float
        The C of the run.
    rescaling : {'margin', 'slack'}
        Whether the loss rescaled the margin or the slack.
    loss : {'hinge', 'softmax_margin', 'log_loss'}
        The surrogate of the loss.
    solver : str
        The name of the solver, and if 'auto' chose it, the reason.
    best_iteration : int or None
        With early stopping, the number of the pass with the highest score of the held-out examples,
        counted from 1; the last such pass if scores are equal. ``w`` is the point of this pass
        unless the run converged.
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
        """The surrogate of the loss that was minimised."""
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
        """Recompute primal, dual and gap from the data.

        Only w, the dual variables, and the labels of a self-labelled problem are taken from the
        result. Computing the primal takes one pass of the oracle at ``w``. Computing the dual takes
        the joint features and losses of the outputs of every support plane.

        Parameters
        ----------
        problem : Problem
            The problem, or a variant of it, for example with a stronger oracle. The problem is
            copied and not changed.
        X, Y : sequences
            The training data.
        tol : float, default=1e-6
            Largest allowed difference, relative to abs(primal), in addition to rounding errors.
        sample_weight : array-like of shape (n,), optional
            The weights of the examples, if they had weights in training.
        qp : {'cvxopt'}, optional
            An independent solver of the quadratic program restricted to the support planes, whose
            optimum the dual must reach: cvxopt, with the licence GPL-3 (``pip install
            'structured-svm[cvxopt]'``). The solver's answer is made feasible, and the gap is
            recomputed. The check is for results of :class:`structsvm.OneSlackCuttingPlane`,
            :class:`structsvm.NSlackCuttingPlane` and :class:`structsvm.CCCP`, which solve this
            program, and for at most some hundreds of planes.

        Returns
        -------
        Verification
            The recomputed numbers, printed as a sentence. ``matches`` says whether they agree with
            the stored numbers, the dual variables are feasible and w satisfies the constraints.
            With an undergenerating oracle the recomputed primal may be lower, because the run also
            used earlier outputs. Inputs in single precision are converted to double precision.
        """
        return verify(self, problem, X, Y, sample_weight, tol, qp)
