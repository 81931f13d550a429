"""Inference for a layer by the methods of any problem, which know nothing of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from structsvm.contract.capabilities import offers
from structsvm.contract.problem import Problem
from structsvm.contract.tensors import TensorInference
from structsvm.data.arrays import Vector
from structsvm.data.conversion import require_sequence
from structsvm.oracle.block import Block
from structsvm.oracle.soft_outputs import soft_outputs
from structsvm.torch.arguments import (
    as_arrays,
    as_numpy,
    require_device,
    require_finite,
    require_floating,
    require_tensor,
)
from structsvm.torch.feasible import FeasibleWeights
from structsvm.torch.input_gradients import soft_gradients
from structsvm.torch.margins import Found, Losses, margins, mean


class Weighted(NamedTuple):
    """Inputs, and the weights of their joint features, shared or one vector per example.

    Attributes
    ----------
    X : sequence of n inputs
        Tensors have become arrays.
    w : tensor of shape (size_joint_feature,) or (n, size_joint_feature)
    given : list of tensors
        The tensors of X: a single one, or one for each input.
    """

    X: Any
    w: torch.Tensor
    given: list[torch.Tensor]


class OracleInference(TensorInference):
    """Scores of a problem are its inputs with weights; the problem's oracles do all else."""

    def __init__(self, problem: Problem, feasible: FeasibleWeights) -> None:
        self.problem, self._feasible = problem, feasible

    def of_features(self, X: Any, w: Any, mask: Any = None) -> Weighted:
        return self.of_scores((X, w), mask)

    def of_scores(self, scores: Any, mask: Any = None) -> Weighted:
        name, size = type(self.problem).__name__, self.problem.size_joint_feature
        if mask is not None:
            raise ValueError(f"{name} takes no mask; pass a list of inputs")
        if not (isinstance(scores, (tuple, list)) and len(scores) == 2):
            raise ValueError(
                f"the scores of {name} must be a pair (X, w) of inputs and of weights of their "
                f"joint features; got {type(scores).__name__}"
            )
        X, w = scores
        require_sequence("X", X)
        require_tensor("w", w, 1, 2)
        given = _tensors(X)
        for x in given:
            require_device("X", x, "w", w)
            if x.is_floating_point():
                require_floating("X", x)
                require_finite("X", x)
        arrays = as_arrays(X)
        if len(arrays) == 0:
            raise ValueError("X is empty; expected at least one example")
        if w.shape not in ((size,), (len(arrays), size)):
            raise ValueError(
                f"w must be of shape ({size},) or ({len(arrays)}, {size}), the weights of "
                f"{name}'s joint features; got {tuple(w.shape)}"
            )
        require_finite("w", w)
        self._feasible.require(w)
        return Weighted(arrays, w, given)

    def slacks(self, scores: Weighted, Y: Any, mu: float) -> torch.Tensor:
        Y, wanted = _outputs(scores, Y), _wanted(scores)
        if mu > 0 and wanted and not offers(self.problem, "soft_input_gradient"):
            name = type(self.problem).__name__
            raise ValueError(
                f"the smoothed loss of {name} has no gradient in X: define "
                f"{name}.soft_input_gradient, take mu=0, or take X.detach() and let the network "
                "compute w, with scores=True"
            )
        block, w = self._block(scores, Y), _weights(scores)
        if mu > 0:
            return _differentiable(_soft(block, scores.X, w, mu, wanted), scores)
        outputs, search = block.separate(w), "separation_oracle" if w.ndim == 2 else ""
        losses = block.losses(outputs, search)
        found = margins(block, scores.X, outputs, w, losses, wanted, search)
        return _differentiable(found, scores)

    def perturbed_losses(
        self, scores: Weighted, Y: Any, noise: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        Y, wanted = _outputs(scores, Y), _wanted(scores)
        block, none = self._block(scores, Y), np.zeros(len(Y))
        points = as_numpy(scores.w + noise(scores.w)).astype(np.float64)
        search = "decode" if scores.w.ndim == 2 else block.decoder
        samples = (
            margins(block, scores.X, block.decode(w), w, none, wanted, search) for w in points
        )
        return _differentiable(mean(samples, len(points)), scores)

    def decode(self, scores: Weighted) -> Sequence[Any]:
        return self._block(scores, None).decode(_weights(scores))

    def _block(self, scores: Weighted, Y: Any) -> Block:
        return Block(self.problem, scores.X, Y, np.arange(len(scores.X)))


def _soft(block: Block, X: Any, w: Vector, mu: float, of_inputs: bool) -> Found:
    """The smoothed slacks, one by one, since a problem may offer their sums alone."""
    sums, gradients = [], []
    for i, own in enumerate(block.each(w)):
        single = block.subset(np.array([i]))
        sums.append(soft_outputs(single, own, mu))
        if of_inputs:
            gradients += soft_gradients(single, X[i : i + 1], own, mu)
    differences = np.array([found.joint_feature_difference for found in sums])
    values = np.concatenate([found.values for found in sums])
    return Found(values, differences, gradients if of_inputs else None)


def _weights(scores: Weighted) -> Vector:
    return as_numpy(scores.w).astype(np.float64)


def _outputs(scores: Weighted, Y: Any) -> Any:
    """The true outputs as the problem takes them, as many as inputs."""
    Y = as_arrays(Y)
    if len(Y) != len(scores.X):
        raise ValueError(f"X has {len(scores.X)} examples but Y has {len(Y)}; they must be equal")
    return Y


def _wanted(scores: Weighted) -> bool:
    """Whether gradients in the inputs are asked for."""
    return torch.is_grad_enabled() and any(x.requires_grad for x in scores.given)


def _differentiable(found: Found, scores: Weighted) -> torch.Tensor:
    return Losses.apply(found, scores.w, *scores.given)


def _tensors(X: Any) -> list[torch.Tensor]:
    """The tensors of inputs: a single one, one for each input, or an empty list."""
    if isinstance(X, torch.Tensor):
        return [X]
    given = [x for x in X if isinstance(x, torch.Tensor)]
    if given and len(given) < len(X):
        raise TypeError(f"X must hold tensors alone, or none; {len(given)} of {len(X)} are tensors")
    return given
