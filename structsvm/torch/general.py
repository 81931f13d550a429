"""Inference of layers by calls of a problem's methods, with arrays instead of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy import sparse

from structsvm.contract.capabilities import defines
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.containers import dense, stacked
from structsvm.data.conversion import require_sequence
from structsvm.networks import TensorInference
from structsvm.task.bound import bound
from structsvm.task.sums import sliced
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
from structsvm.torch.input_gradients import slack_gradients, soft_gradients, weights_of_each


class Weighted(NamedTuple):
    """Inputs, with one vector of weights for all examples or one vector for each example.

    Attributes
    ----------
    X : sequence of n inputs
        The inputs, with arrays instead of tensors.
    w : tensor of shape (size_joint_feature,) or (n, size_joint_feature)
    given : list of tensors
        The tensors of X: one tensor for all inputs, or one tensor for each input.
    """

    X: Any
    w: torch.Tensor
    given: list[torch.Tensor]


class OracleInference(TensorInference):
    """The inference that calls a problem's oracles.

    Each method takes a pair (X, w) of inputs and weights in place of scores.
    """

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
        block, w, wanted = self._block(scores, Y), _in_double(scores.w), _wanted(scores)
        # The gradient of a self-labelled problem would read Y, whose annotations are no outputs.
        has_gradient = defines(self.problem, "soft_input_gradient") and not isinstance(
            self.problem, SelfLabelledProblem
        )
        if mu > 0 and wanted and not has_gradient:
            name = type(self.problem).__name__
            raise ValueError(
                f"the smoothed loss of {name} has no gradient in X: define "
                f"{name}.soft_input_gradient, take mu=0, or take X.detach() and let the network "
                "compute w, with scores=True"
            )
        if mu > 0:
            found = _soft(block, scores.X, w, mu, wanted)
        else:
            outputs = _each(block, "search", w)
            found = margins(block, scores.X, outputs, w, block.losses(outputs), wanted)
        return Losses.apply(found, scores.w, *scores.given)

    def perturbed_losses(
        self, scores: Weighted, Y: Any, noise: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        block, wanted = self._block(scores, Y), _wanted(scores)
        points, none = _in_double(scores.w + noise(scores.w)), np.zeros(block.n)
        samples = (
            margins(block, scores.X, _each(block, "decode", w), w, none, wanted) for w in points
        )
        return Losses.apply(_mean(samples, len(points)), scores.w, *scores.given)

    def decode(self, scores: Weighted) -> Sequence[Any]:
        return _each(self._block(scores, None), "decode", _in_double(scores.w))

    def _block(self, scores: Weighted, Y: Any) -> Any:
        """Return the task of the examples.

        Y is None if outputs are to be predicted.
        """
        Y = None if Y is None else as_arrays(Y)
        if Y is not None and len(Y) != len(scores.X):
            n = len(scores.X)
            raise ValueError(f"X has {n} examples but Y has {len(Y)}; they must be equal")
        return bound(self.problem, scores.X, Y, np.arange(len(scores.X)))


def _soft(block: Any, X: Any, w: Vector, mu: float, of_inputs: bool) -> Found:
    """Return the smoothed slacks, computed for each example by itself: a task returns only sums."""
    sums, gradients = [], []
    for i, own in enumerate(weights_of_each(w, block.n)):
        single = block.part(range(i, i + 1))
        sums.append(single.soft(own, mu, np.ones(1)))
        if of_inputs:
            gradients += soft_gradients(single, X[i : i + 1], own, mu)
    differences = np.array([found.joint_feature_difference for found in sums])
    values = np.concatenate([found.values for found in sums])
    return Found(values, differences, gradients if of_inputs else None)


def _each(block: Any, search: str, w: Vector) -> Sequence[Any]:
    """Return the outputs of a search, with one w for all examples or one row of w for each."""
    if w.ndim == 1:
        outputs: Sequence[Any] = getattr(block, search)(w)
        return outputs
    singles = ((block.part(range(i, i + 1)), own) for i, own in enumerate(w))
    found = [getattr(single, search)(own)[0] for single, own in singles]
    block.found = found, search
    return found


def _in_double(w: torch.Tensor) -> Vector:
    return np.array(as_numpy(w), dtype=np.float64)


def _wanted(scores: Weighted) -> bool:
    """Whether gradients with respect to the inputs are needed."""
    return torch.is_grad_enabled() and any(x.requires_grad for x in scores.given)


def _tensors(X: Any) -> list[torch.Tensor]:
    """Return the tensors of inputs: one for all inputs, one for each input, or an empty list."""
    if isinstance(X, torch.Tensor):
        return [X]
    given = [x for x in X if isinstance(x, torch.Tensor)]
    if given and len(given) < len(X):
        raise TypeError(f"X must hold tensors alone, or none; {len(given)} of {len(X)} are tensors")
    return given


class Found(NamedTuple):
    """Losses of examples and their gradients, as arrays.

    Attributes
    ----------
    values : ndarray of shape (n,)
    differences : array or CSR matrix of shape (n, size_joint_feature)
        The difference Psi(x, y) - Psi(x, y_hat), or its expectation. The difference is the negative
        gradient of the loss with respect to w.
    of_inputs : list of n arrays, or None
        The gradients with respect to the inputs; None if they are not needed.
    """

    values: Vector
    differences: Any
    of_inputs: list[Any] | None


def margins(
    block: Any, X: Any, outputs: Sequence[Any], w: Vector, losses: Vector, of_inputs: bool
) -> Found:
    """Return max(0, loss + score(y_hat) - score(y)) for each example, with gradients.

    The argument ``X`` holds the original inputs.
    """
    rows = stacked([rows for _, rows in sliced(block.differences, outputs, block.n, block.size)])
    # A search that misses outputs may miss the true output, whose margin is 0.
    own = losses - (rows @ w if w.ndim == 1 else np.asarray(_times(rows, w).sum(axis=1)).ravel())
    violated = own > 0
    gradients = slack_gradients(block, X, outputs, w, violated) if of_inputs else None
    return Found(np.where(violated, own, 0.0), _times(rows, violated[:, None]), gradients)


def _mean(samples: Iterable[Found], count: int) -> Found:
    """Return the mean of each example's values over ``count`` samples."""
    values, differences, of_inputs = reduce(_added, samples)
    gradients = None if of_inputs is None else [own / count for own in of_inputs]
    return Found(values / count, differences / count, gradients)


class Losses(torch.autograd.Function):
    """An autograd function that returns precomputed losses, and their precomputed gradients."""

    @staticmethod
    def forward(ctx: Any, found: Found, w: torch.Tensor, *given: torch.Tensor) -> torch.Tensor:
        ctx.found, ctx.several = found, w.ndim == 2
        ctx.save_for_backward(w, *given)
        return tensor_like(found.values, w)

    @staticmethod
    def backward(ctx: Any, outer: torch.Tensor) -> Any:
        if torch.is_grad_enabled():  # with create_graph=True, whose terms would be missing
            raise RuntimeError(
                "this loss has no second derivatives: its problem has no inference over tensors"
            )
        w, *given = ctx.saved_tensors
        weights, (_, differences, of_inputs) = as_numpy(outer).astype(np.float64), ctx.found
        gradients: list[Any] = [None] * (2 + len(given))
        if ctx.needs_input_grad[1]:
            rows = _times(differences, weights[:, None]) if ctx.several else weights @ differences
            gradients[1] = -tensor_like(dense(rows), w)
        if of_inputs is not None:
            scaled = [weight * own for weight, own in zip(weights, of_inputs, strict=True)]
            of_given = scaled if len(given) == len(scaled) else [np.stack(scaled)]
            for place, (x, own) in enumerate(zip(given, of_given, strict=True)):
                gradients[2 + place] = tensor_like(own, x).reshape(x.shape)
        return tuple(gradients)


def _times(rows: Any, factors: Vector) -> Any:
    """Multiply rows, entry by entry, by factors.

    The factors are broadcast.
    """
    return rows.multiply(factors).tocsr() if sparse.issparse(rows) else rows * factors


def _added(one: Found, other: Found) -> Found:
    gradients = None
    if one.of_inputs is not None and other.of_inputs is not None:
        gradients = [a + b for a, b in zip(one.of_inputs, other.of_inputs, strict=True)]
    return Found(one.values + other.values, one.differences + other.differences, gradients)
