"""The margins of a block's examples with their gradients, as arrays and as tensors of PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import stacked
from structsvm.oracle.block import Block
from structsvm.torch.arguments import as_numpy, tensor_like
from structsvm.torch.input_gradients import slack_gradients


class Found(NamedTuple):
    """Losses of examples and their gradients, as arrays.

    Attributes
    ----------
    values : ndarray of shape (n,)
    differences : array or CSR matrix of shape (n, size_joint_feature)
        Psi(x, y) - Psi(x, y_hat), or its expectation: minus the gradients in w.
    of_inputs : list of n arrays, or None
        The gradients in the inputs, where they are asked for.
    """

    values: Vector
    differences: Any
    of_inputs: list[Any] | None


def margins(
    block: Block,
    X: Any,
    outputs: Sequence[Any],
    w: Vector,
    losses: Vector,
    of_inputs: bool,
    search: str = "",
) -> Found:
    """By how much outputs with these losses score more than the true ones, at least 0.

    ``X`` are the inputs as they were given. The method ``search`` returned the outputs, by default
    the separation oracle.
    """
    rows = stacked([rows for _, rows in block.differences(outputs, search)])
    # A search that misses outputs may miss the truth, whose margin is 0.
    own = losses - _products(rows, w)
    violated = own > 0
    gradients = slack_gradients(block, X, outputs, w, violated) if of_inputs else None
    return Found(np.where(violated, own, 0.0), _scaled(rows, violated.astype(float)), gradients)


def mean(samples: Iterable[Found], count: int) -> Found:
    """The means over as many samples of the same examples."""
    values, differences, of_inputs = reduce(_added, samples)
    gradients = None if of_inputs is None else [own / count for own in of_inputs]
    return Found(values / count, differences / count, gradients)


class Losses(torch.autograd.Function):
    """Losses whose gradients are known."""

    @staticmethod
    def forward(ctx: Any, found: Found, w: torch.Tensor, *given: torch.Tensor) -> torch.Tensor:
        ctx.found, ctx.several = found, w.ndim == 2
        ctx.save_for_backward(w, *given)
        return tensor_like(found.values, w)

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
            rows = _scaled(differences, weights) if ctx.several else weights @ differences
            gradients[1] = -tensor_like(rows.toarray() if sparse.issparse(rows) else rows, w)
        if of_inputs is not None:
            scaled = [weight * own for weight, own in zip(weights, of_inputs, strict=True)]
            of_given = scaled if len(given) == len(scaled) else [np.stack(scaled)]
            for place, (x, own) in enumerate(zip(given, of_given, strict=True)):
                gradients[2 + place] = tensor_like(own, x).reshape(x.shape)
        return tuple(gradients)


def _products(rows: Any, w: Vector) -> Vector:
    """The product of each row with w, or with its own row of w."""
    if w.ndim == 1:
        products: Vector = rows @ w
    elif sparse.issparse(rows):
        products = np.asarray(rows.multiply(w).sum(axis=1)).reshape(-1)
    else:
        products = np.einsum("ij,ij->i", rows, w)
    return products


def _scaled(rows: Any, factors: Vector) -> Any:
    return sparse.diags(factors) @ rows if sparse.issparse(rows) else factors[:, None] * rows


def _added(one: Found, other: Found) -> Found:
    gradients = None
    if one.of_inputs is not None and other.of_inputs is not None:
        gradients = [a + b for a, b in zip(one.of_inputs, other.of_inputs, strict=True)]
    return Found(one.values + other.values, one.differences + other.differences, gradients)
