"""Inference for a layer by the methods of any problem, which know nothing of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy import sparse

from structsvm.contract.capabilities import offers
from structsvm.contract.problem import Problem
from structsvm.contract.tensors import TensorInference
from structsvm.data.arrays import Vector
from structsvm.data.containers import joined, stacked
from structsvm.data.conversion import require_no_iterator
from structsvm.oracle.block import Block
from structsvm.oracle.soft_outputs import soft_outputs
from structsvm.torch.arguments import (
    as_arrays,
    as_numpy,
    require_device,
    require_finite,
    require_floating,
    require_tensor,
    tensor_like,
)
from structsvm.torch.feasible import FeasibleWeights
from structsvm.torch.input_gradients import slack_gradients, soft_gradients


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

    def parts(self, single: bool) -> Iterator[tuple[Any, slice, Vector]]:
        """Yield inputs that have w in common, their places, and w; one by one if asked."""
        w, n = as_numpy(self.w).astype(np.float64), len(self.X)
        step = 1 if single or w.ndim == 2 else n
        for start in range(0, n, step):
            places = slice(start, start + step)
            yield self.X[places], places, w if w.ndim == 1 else w[start]


class Found(NamedTuple):
    """The slacks of examples and their gradients, as arrays.

    Attributes
    ----------
    slacks : ndarray of shape (n,)
    differences : array or CSR matrix of shape (n, size_joint_feature)
        Psi(x, y) - Psi(x, y_hat), or its expectation: minus the gradients in w.
    of_inputs : list of n arrays, or None
        The gradients in the inputs, where they are asked for.
    """

    slacks: Vector
    differences: Any
    of_inputs: list[Any] | None


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
        require_no_iterator("X", X)
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
        Y = as_arrays(Y)
        if len(Y) != len(scores.X):
            raise ValueError(
                f"X has {len(scores.X)} examples but Y has {len(Y)}; they must be equal"
            )
        wanted = torch.is_grad_enabled() and any(x.requires_grad for x in scores.given)
        if mu > 0 and wanted and not offers(self.problem, "soft_input_gradient"):
            name = type(self.problem).__name__
            raise ValueError(
                f"the smoothed loss of {name} has no gradient in X: define "
                f"{name}.soft_input_gradient, take mu=0, or take X.detach() and let the network "
                "compute w, with scores=True"
            )
        found = self._soft(scores, Y, mu, wanted) if mu > 0 else self._hard(scores, Y, wanted)
        slacks: torch.Tensor = _Slacks.apply(found, scores.w, *scores.given)
        return slacks

    def decode(self, scores: Weighted) -> Sequence[Any]:
        return joined([
            self._block(X, None, places).decode(w) for X, places, w in scores.parts(False)
        ])  # fmt: skip

    def _block(self, X: Any, Y: Any, places: slice) -> Block:
        return Block(self.problem, X, Y, np.arange(places.start, places.stop))

    def _hard(self, scores: Weighted, Y: Any, of_inputs: bool) -> Found:
        slacks, differences, gradients = [], [], []
        for X, places, w in scores.parts(False):
            block = self._block(X, Y[places], places)
            outputs = block.separate(w)
            losses = block.losses(outputs)
            rows = stacked([rows for _, rows in block.differences(outputs)])
            # An oracle that misses outputs may miss the truth, whose slack is 0.
            own = losses - rows @ w
            violated = own > 0
            slacks.append(np.where(violated, own, 0.0))
            differences.append(sparse.diags(violated.astype(float)) @ rows)
            if of_inputs:
                gradients += slack_gradients(block, X, outputs, w, violated)
        return Found(np.concatenate(slacks), stacked(differences), gradients if of_inputs else None)

    def _soft(self, scores: Weighted, Y: Any, mu: float, of_inputs: bool) -> Found:
        sums, gradients = [], []
        for X, places, w in scores.parts(True):
            block = self._block(X, Y[places], places)
            sums.append(soft_outputs(block, w, mu))
            if of_inputs:
                gradients += soft_gradients(block, X, w, mu)
        differences = np.array([found.joint_feature_difference for found in sums])
        slacks = np.concatenate([found.values for found in sums])
        return Found(slacks, differences, gradients if of_inputs else None)


class _Slacks(torch.autograd.Function):
    """Slacks whose gradients are known."""

    @staticmethod
    def forward(ctx: Any, found: Found, w: torch.Tensor, *given: torch.Tensor) -> torch.Tensor:
        ctx.found, ctx.several = found, w.ndim == 2
        ctx.save_for_backward(w, *given)
        return tensor_like(found.slacks, w)

    @staticmethod
    def backward(ctx: Any, outer: torch.Tensor) -> Any:
        if torch.is_grad_enabled():  # with create_graph=True; its terms would be missing
            raise RuntimeError(
                "this loss has no second derivatives: its problem has no inference over tensors"
            )
        w, *given = ctx.saved_tensors
        weights, (_, differences, of_inputs) = as_numpy(outer).astype(np.float64), ctx.found
        gradients: list[Any] = [None] * (2 + len(given))
        if ctx.needs_input_grad[1]:
            rows = sparse.diags(weights) @ differences if ctx.several else weights @ differences
            gradients[1] = -tensor_like(rows.toarray() if sparse.issparse(rows) else rows, w)
        if of_inputs is not None:
            scaled = [weight * own for weight, own in zip(weights, of_inputs, strict=True)]
            of_given = scaled if len(given) == len(scaled) else [np.stack(scaled)]
            for place, (x, own) in enumerate(zip(given, of_given, strict=True)):
                gradients[2 + place] = tensor_like(own, x).reshape(x.shape)
        return tuple(gradients)


def _tensors(X: Any) -> list[torch.Tensor]:
    """The tensors of inputs: a single one, one for each input, or an empty list."""
    if isinstance(X, torch.Tensor):
        return [X]
    given = [x for x in X if isinstance(x, torch.Tensor)]
    if given and len(given) < len(X):
        raise TypeError(f"X must hold tensors alone, or none; {len(given)} of {len(X)} are tensors")
    return given
