"""The base class of all loss layers: a problem, its weights or scores, and the reduction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import torch

from structsvm.contract.declarations import require_suitable
from structsvm.contract.problem import Problem
from structsvm.data.conversion import require_sequence
from structsvm.data.validation import require_flag, require_n_jobs, require_option
from structsvm.networks import TensorInference
from structsvm.oracle.setup import copied
from structsvm.torch.feasible import FeasibleWeights
from structsvm.torch.general import OracleInference

Reduction = Literal["mean", "sum", "none"]
REDUCTIONS: dict[Reduction, Callable[[torch.Tensor], torch.Tensor]] = {
    "mean": torch.mean,
    "sum": torch.sum,
    "none": lambda losses: losses,
}


class StructuredLoss(torch.nn.Module, ABC):
    """The base class of loss layers behind a network, for any problem.

    Subclasses define ``_losses``.

    Parameters
    ----------
    problem : Problem
        An initialised problem. The layer stores a copy of the problem.
    scores : bool
        Whether the layer receives scores instead of features.
    reduction : {'mean', 'sum', 'none'}
        How to combine the losses of the examples.
    n_jobs : int or None
        Number of parallel processes that compute the losses of examples.

    Attributes
    ----------
    w : torch.nn.Parameter of shape (size_joint_feature,)
        The weights, in the default dtype of torch. The initial weights are 0, or the feasible
        weights nearest to 0. Missing with ``scores=True``.

    Raises
    ------
    ValueError
        If the problem is not initialised, or if ``n_jobs`` is not supported. With ``scores=True``,
        an error is also raised if the problem constrains w but its ``tensor_inference`` does not
        use w.
    """

    def __init__(
        self, problem: Problem, scores: bool, reduction: Reduction, n_jobs: int | None
    ) -> None:
        super().__init__()
        require_suitable(problem, "hinge")
        require_flag("scores", scores)
        require_n_jobs(n_jobs)
        require_option("reduction", reduction, REDUCTIONS)
        size = getattr(problem, "size_joint_feature", None)
        if size is None:
            raise ValueError(
                f"{type(problem).__name__} is not initialised: call problem.initialize(X, Y) with "
                "arrays like those that the network computes, and with outputs of all labels"
            )
        native = getattr(problem, "tensor_inference", None) is not None
        self.problem = copied(problem)
        self._feasible = FeasibleWeights(self.problem)
        if scores and native and self._feasible.constrained:
            raise ValueError(
                f"{type(problem).__name__} has constraints or lower bounds on w, which scores do "
                "not tell: take scores=False, so that the layer holds w and keeps them"
            )
        self.scores, self.reduction = scores, reduction
        self._inference: TensorInference = (
            self.problem.tensor_inference()
            if native
            else OracleInference(self.problem, self._feasible)
        )
        if n_jobs not in (None, 1):
            if type(self._inference).with_jobs is TensorInference.with_jobs:
                raise ValueError(
                    f"n_jobs={n_jobs} is for problems with a solver that is called for every "
                    f"example, such as DecisionProblem; {type(problem).__name__} computes a batch "
                    "in one process: leave n_jobs out"
                )
            self._inference = self._inference.with_jobs(n_jobs)
        if not scores:
            self.w = torch.nn.Parameter(torch.zeros(size))
            self.project_()

    @abstractmethod
    def _losses(self, scores: Any, Y: Any) -> torch.Tensor:
        """Return the loss of each example, shape (n,), from the scores of the inference."""

    def forward(self, X: Any, Y: Any, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return the loss of a batch of examples.

        Parameters
        ----------
        X : tensor or sequence of tensors
            Features of n examples. With ``scores=True``, the scores of n examples.
        Y : sequence or tensor
            The true outputs.
        mask : tensor of bool of shape (n, length), optional
            Whether each position of padded sequences exists or is padding. The existing positions
            must be the first positions of each sequence.

        Returns
        -------
        tensor
            A number. With ``reduction='none'``, a tensor of shape (n,).
        """
        if Y is None:
            raise ValueError("Y must hold the true outputs; it is None")
        require_sequence("Y", Y)
        return REDUCTIONS[self.reduction](self._losses(self._scored(X, mask), Y))

    @torch.no_grad()
    def decode(self, X: Any, mask: torch.Tensor | None = None) -> Any:
        """Return the highest-scoring outputs, as the problem's ``decode`` does.

        Parameters
        ----------
        X : tensor or sequence of tensors
            Features of n examples. With ``scores=True``, the scores of n examples.
        mask : tensor of bool of shape (n, length), optional
            Whether each position of padded sequences exists or is padding. The existing positions
            must be the first positions of each sequence.

        Returns
        -------
        sequence of n outputs
        """
        return self._inference.decode(self._scored(X, mask))

    @torch.no_grad()
    def project_(self) -> None:
        """Move w to the nearest point that satisfies the constraints and bounds of the problem.

        The methods :meth:`forward`, :meth:`decode` and :meth:`state_dict` call this method first.
        Call it after the last step of the optimiser, before you read ``w``. A feasible w is left
        unchanged.
        """
        if self.scores or not self._feasible.constrained:
            return
        nearest = self._feasible.nearest(self.w)
        if not torch.equal(nearest, self.w):  # copying would invalidate an earlier gradient
            self.w.copy_(nearest)

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the state of the module, in which w is feasible."""
        self.project_()
        return super().state_dict(*args, **kwargs)

    def _scored(self, X: Any, mask: torch.Tensor | None) -> Any:
        require_sequence("X", X)
        if self.scores:
            return self._inference.of_scores(X, mask)
        if isinstance(self.w, torch.nn.Parameter):  # functional_call may lend a tensor
            self.project_()
        return self._inference.of_features(X, self.w, mask)
