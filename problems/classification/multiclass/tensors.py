"""Multiclass inference over tensors of PyTorch, for layers of networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from structsvm.networks import TensorInference
from structsvm.torch.arguments import (
    as_arrays,
    as_numpy,
    require_alike,
    require_finite,
    require_tensor,
    tensor_like,
)

if TYPE_CHECKING:
    from structsvm.problems.classification.multiclass.problem import Multiclass


class ClassTensors(TensorInference):
    """The inference of :class:`Multiclass`; scores are a tensor of shape (n, k)."""

    def __init__(self, problem: Multiclass) -> None:
        self.problem = problem

    def of_features(self, X: Any, w: torch.Tensor, mask: Any = None) -> torch.Tensor:
        require_tensor("X", X, 2)
        require_alike("X", X, "w", w)
        d = self.problem.n_features_
        if X.shape[1] != d:
            raise ValueError(f"X must be of shape (n, {d}); got {tuple(X.shape)}")
        return self.of_scores(X @ w.view(-1, d).T, mask)

    def of_scores(self, scores: Any, mask: Any = None) -> torch.Tensor:
        if mask is not None:
            raise ValueError("classes have no positions: expected no mask")
        require_tensor("scores", scores, 2)
        k = len(self.problem.classes_)
        if scores.shape[1] != k:
            raise ValueError(
                f"scores must be of shape (n, {k}), one for each class; got {tuple(scores.shape)}"
            )
        require_finite("scores", scores)
        return scores

    def slacks(self, scores: torch.Tensor, Y: Any, mu: float) -> torch.Tensor:
        codes = self._codes(scores, Y)
        augmented = scores + tensor_like(self.problem.cost_, scores)[codes]
        true = scores.gather(1, codes[:, None]).squeeze(1)
        if mu > 0:
            return mu * torch.logsumexp(augmented / mu, dim=1) - true
        return augmented.max(dim=1).values - true

    def perturbed_losses(
        self, scores: torch.Tensor, Y: Any, noise: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        codes, perturbed = self._codes(scores, Y), scores + noise(scores)
        true = perturbed.gather(2, codes.expand(len(perturbed), -1)[:, :, None]).squeeze(2)
        return (perturbed.max(dim=2).values - true).mean(dim=0)

    def decode(self, scores: torch.Tensor) -> Any:
        return self.problem.classes_[as_numpy(scores.argmax(dim=1))]

    def _codes(self, scores: torch.Tensor, Y: Any) -> torch.Tensor:
        """Return the codes of the true classes, on the device of the scores."""
        labels = self.problem.labelled(as_arrays(Y))
        if labels.shape != scores.shape[:1]:
            raise ValueError(
                f"Y must hold a class for each of {len(scores)} examples; got shape {labels.shape}"
            )
        return torch.tensor(labels.numbers, dtype=torch.long, device=scores.device)
