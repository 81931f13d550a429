"""The soft outputs of one block of examples, with their scores, curvature and axes.

These functions run where the block is, so they must be picklable. The problem's return values are
checked as in :mod:`structsvm.oracle.block`.
"""

from __future__ import annotations

import numpy as np

from structsvm.contract.capabilities import offers
from structsvm.contract.soft_oracle import Axes, SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import ProblemError
from structsvm.oracle.block import Block
from structsvm.oracle.call import JOINT_FEATURE, read_only, unpacked


def soft_outputs(block: Block, w: Vector, mu: float) -> SoftSum:
    """The soft outputs of all examples, weighted, and summed where only the sum is needed.

    Where the temperature is kept, the values are the slacks, and in place of the expected losses
    are the offsets of the planes that touch the slacks at w.
    """
    surrogate, w = block.surrogate, block.shifted(w)
    if not surrogate.temperature:
        return _soft_outputs(block, w, mu)
    factor = surrogate.loss_factor
    found = _soft_outputs(block, w / factor, mu / factor)
    values, difference = factor * found.values, found.joint_feature_difference
    return SoftSum(values, difference, float(values.sum() + difference @ w), values)


def _soft_outputs(block: Block, w: Vector, mu: float) -> SoftSum:
    """The problem's own outputs, weighted."""
    block.tally.calls += block.n
    w = read_only(w)
    if not offers(block.problem, "sum_soft_oracle"):
        return _sum_of_soft_outputs(block, w, mu)
    method = "sum_soft_oracle"
    with block.call(method) as call:
        found = block.problem.sum_soft_oracle(block.X, block.Y, w, mu, block.weights)
    values, difference, loss, slacks = unpacked(found, 4, method, "SoftSum", "")
    return SoftSum(
        block.weights * call.checked(values, (block.n,), rows=block.index),
        call.checked(difference, (block.size,), single=True),
        float(call.checked(loss, ())),
        None
        if slacks is None
        else block.weights * call.checked(slacks, (block.n,), rows=block.index),
    )


def _sum_of_soft_outputs(block: Block, w: Vector, mu: float) -> SoftSum:
    values, total, losses = np.empty(block.n), np.zeros(block.size), 0.0
    method = "soft_oracle"
    with block.single_call(method) as call:
        for i in call.examples():
            found, where = block.problem.soft_oracle(block.X[i], block.Y[i], w, mu), call.where()
            value, difference, loss = unpacked(found, 3, method, "SoftOutput", where)
            weight = block.weights[i]
            values[i] = weight * call.checked(value, (), where=where)
            total += weight * call.checked(difference, (block.size,), where=where)
            losses += weight * float(call.checked(loss, (), where=where))
    return SoftSum(values, total, losses)


def score_outputs(block: Block, w: Vector) -> Vector:
    """The loss-augmented scores of all outputs of every example, weighted, shape (n, k)."""
    block.tally.calls += block.n
    method = "score_outputs"
    with block.call(method) as call:
        found = block.problem.score_outputs(block.X, block.Y, block.shifted(w))
    k = np.shape(found)[-1] if np.ndim(found) == 2 else 1
    return block.weights[:, None] * call.checked(found, (block.n, k), rows=block.index)


def sum_expected_difference(block: Block, probabilities: Vector) -> Vector:
    """The expected joint-feature differences, weighted and summed over the examples."""
    method, weighted = "sum_expected_difference", block.weights[:, None] * probabilities
    with block.call(method, JOINT_FEATURE) as call:
        found = block.problem.sum_expected_difference(block.X, block.Y, weighted)
    return call.checked(found, (block.size,), single=True)


def example_products(block: Block) -> tuple[tuple[Vector, ...], Indices]:
    """The factors of the weighted inner products of the examples' features, and the truths' places.

    The inner products themselves are the only factor, or the features and their transpose are two.
    """
    method = "example_products"
    with block.call(method, JOINT_FEATURE) as call:
        found = block.problem.example_products(block.X, block.Y)
    products, true, features = unpacked(found, 3, method, "Products", "")
    true = np.asarray(true)
    if true.shape != (block.n,) or true.dtype.kind not in "iu":
        raise ProblemError(
            f"{method} must return the places of {block.n} true outputs; it returned {true!r:.80}"
        )
    if features is None:
        products = call.checked(products, (block.n, block.n), rows=block.index)
        return (np.outer(block.weights, block.weights) * products,), true
    shape = (block.n, *np.shape(features)[1:2])
    rows = block.weights[:, None] * call.checked(features, shape, rows=block.index)
    return (rows, rows.T), true


def soft_curvature(block: Block, w: Vector, mu: float) -> Vector:
    """The variances of the joint feature's entries, weighted and summed over the examples."""
    method, factor = "sum_soft_curvature", block.surrogate.loss_factor
    with block.call(method) as call:
        given = block.X, block.Y, read_only(block.shifted(w) / factor), mu / factor, block.weights
        found = block.problem.sum_soft_curvature(*given)
    variances = call.checked(found, (block.size,))
    if not variances.min() >= 0:
        j = int(variances.argmin())
        raise ProblemError(f"{method} must be >= 0; it is {variances[j]} at index {j} of w")
    return variances


def suggested_axes(block: Block) -> Axes | None:
    """The axes along which the Hessian of soft slacks is nearly diagonal."""
    method = "curvature_axes"
    with block.call(method):
        found = block.problem.curvature_axes(block.X, block.Y)
    if not (found is None or isinstance(found, Axes)):
        raise ProblemError(f"{method} must return structsvm.Axes or None; it returned {found!r}")
    return found
