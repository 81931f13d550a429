"""The result of a run: the solution, how it was reached, and what it guarantees."""

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
    """The result of a run.

    Shared parameters and attributes are added at import: see ``help``.

    Attributes
    ----------
    primal, dual, gap : float
        Objective at ``w`` (:mod:`structsvm.objective`), value of the restricted dual, and their
        difference. ``guarantee`` says what they bound. Rounding errors are included: they are
        added to the objective, and subtracted from the dual value.
    tolerance : float
        The gap that the stopping rule allowed: the larger of ``atol`` and ``rtol`` times the primal
        value, or, where that is 0 at the prior, times C and the largest loss.
    oracle_calls : int
        Number of calls of the separation oracle: one per example and pass; none in a pass that only
        refines earlier outputs.
    seconds : dict of str to float
        Wall time: 'oracle', 'joint_feature', 'qp' and 'total'.
    w : ndarray of shape (size_joint_feature,)
        The best point found.
    w_prior : ndarray of shape (size_joint_feature,) or None
        The prior; None without one, or if ``support`` was not saved.
    labels : object
        The labels trained on, for a self-labelled problem; else None.
    support : tuple of SupportPlane, or None
        The planes that make up the dual solution, as oracle outputs. None in an estimator that was
        saved without them: see :func:`structsvm.save`.
    multipliers : ndarray of shape (n_constraints,)
        The dual variables of the problem's own constraints.
    n_examples : int
        Number of examples.
    rounding : float
        The rounding errors in ``gap`` (:mod:`structsvm.objective.rounding`).
    advice : str
        The part of ``message`` on the features to scale, and by how much.
    C : float
        The C of the run.
    rescaling : {'margin', 'slack'}
        What the loss rescales.
    loss : {'hinge', 'softmax_margin', 'log_loss'}
        The surrogate of the loss.
    solver : str
        The name of the solver; where 'auto' chose it, also why.
    best_iteration : int or None
        With early stopping the pass, from 1, with the highest score of the held-out examples; of
        equal scores, the last. ``w`` is its point unless the run converged.
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
        """The surrogate of an example's loss."""
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

        Only w and the dual variables are taken from the result (and the labels of a self-labelled
        problem). The primal takes one pass of the oracle at ``w``; the dual takes the joint
        features and losses of the outputs behind every support plane.

        Parameters
        ----------
        problem : Problem
            The problem, or another of the same kind (with a stronger oracle, say). It is copied,
            not changed.
        X, Y : sequences
            The training data.
        tol : float, default=1e-6
            Largest difference allowed, relative to abs(primal), beyond the rounding errors.
        sample_weight : array-like of shape (n,), optional
            The weights of the examples, if the training had any.
        qp : {'cvxopt'}, optional
            An independent solver of the quadratic program restricted to the support planes, with
            which the dual must agree: cvxopt, of the licence GPL-3
            (``pip install 'structured-svm[cvxopt]'``). Its answer is made feasible, and its gap
            recomputed. For results of :class:`structsvm.OneSlackCuttingPlane`,
            :class:`structsvm.NSlackCuttingPlane` and :class:`structsvm.CCCP`, which solve this
            program, with some hundreds of planes.

        Returns
        -------
        Verification
            The recomputed numbers, printed as a sentence; ``matches`` says whether they agree with
            the stored ones, the dual variables are feasible and w satisfies the constraints. The
            primal of an undergenerating oracle may come out lower: the run also knew earlier
            outputs.
            Inputs in single precision are converted to double.
        """
        return verify(self, problem, X, Y, sample_weight, tol, qp)
