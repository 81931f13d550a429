"""The checks of what speeds up sums of soft outputs: mini-batches, and the curvature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from structsvm.check.batch import unequal_weights
from structsvm.check.closeness import TOLERANCE, close
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.pools import Pool
from structsvm.check.watching import watched
from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.oracle.block import Block
from structsvm.oracle.minibatches import minibatches_of
from structsvm.oracle.soft_outputs import soft_curvature, soft_outputs

#: Points at which they are checked.
POINTS = 3
#: Points at which the curvature must be finite and >= 0, some of them large.
CURVED_POINTS = 11
#: Random directions along which the slope of the gradient is taken.
DIRECTIONS = 8
#: Step of these finite differences, relative to mu by the size of a joint feature.
STEP = 0.05
#: Squares of smaller joint features may underflow in single precision.
SMALLEST = float(np.finfo(np.float32).tiny)
#: The curvature may be off by this factor, on the whole.
FACTOR = 30.0


def minibatches_agree(evidence: Evidence) -> Iterator[Finding]:
    """Every example is in one mini-batch; the soft sums of mini-batches add up to the total."""
    method, problem = "minibatches", evidence.problem
    for point, visit in enumerate(evidence.visits[:POINTS]):
        mu = _largest_loss(evidence.pools[point])
        try:
            block = block_of(evidence, point)  # of all examples, then of a part
            whole = soft_outputs(block, visit.w, mu)
        except ProblemError:  # soft_sums_agree reports it
            return
        try:
            values, total, loss = np.empty(block.n), np.zeros(block.size), 0.0
            for places, columns, own in minibatches_of(block, block.tally):
                soft = soft_outputs(own, columns.of(visit.w), mu)
                values[places] = soft.values
                columns.add(total, soft.joint_feature_difference)
                loss += soft.loss
        except ProblemError as error:
            yield evidence.calls.finding(method, error)
            return
        found = {"values": (values, whole.values), "loss": (np.array(loss), np.array(whole.loss))}
        found["joint_feature_difference"] = (total, whole.joint_feature_difference)
        for name, (ours, theirs) in found.items():
            if not close(ours, theirs, TOLERANCE):
                most = float(np.abs(ours - theirs).max())
                yield Finding(
                    method,
                    None,
                    f"the {name} that sum_soft_oracle returns for the mini-batches of "
                    f"{type(problem).__name__} add up to others than for all examples, by "
                    f"{most:.3g}: its X, Y and columns must belong to the same entries of w",
                )
                return


def curvature_is_that_of_the_soft_sums(evidence: Evidence) -> Iterator[Finding]:
    """sum_soft_curvature is >= 0, and of the size of the variances."""
    method = "sum_soft_curvature"
    for point in range(min(CURVED_POINTS, len(evidence.visits))):
        visit, pools = evidence.visits[point], evidence.pools[point]
        mu, size = _largest_loss(pools), _largest_size(pools)
        if size**2 < SMALLEST:
            continue
        step = STEP * mu / size
        block = block_of(evidence)
        if evidence.self_labelled:
            block = block.with_labels(visit.labels)
        if point % 2:  # so that the others count too
            block.weights[: block.n // 2] = 0
        evidence.progress.call(method)
        curvature = soft_curvature(block, visit.w, mu)
        if point >= POINTS:  # where one output is almost certain, differences are rounding
            continue
        try:
            trace = mu * _trace(block, visit.w, mu, step, evidence.rng)
        except ProblemError:  # soft_sums_agree reports it
            return
        total = float(curvature.sum())
        if trace > 0 and not trace / FACTOR <= total <= FACTOR * trace:
            yield Finding(
                method,
                None,
                f"it adds up to {total:.3g}, but the gradient of sum_soft_oracle changes as if "
                f"the variances added up to {trace:.3g}; it must return the sum over the examples "
                "of the variance of each entry of the joint feature, without mu",
            )
            return


def block_of(evidence: Evidence, left_out: int = 0) -> Block:
    """The examples of the evidence but the last ones, with unequal weights >= 0, as in training."""
    calls, rows = evidence.calls, np.arange(max(1, evidence.calls.n - left_out))
    weights = unequal_weights(evidence.rng, len(rows), signed=False)
    X, Y = calls.given(rows)
    return Block(watched(calls.problem, calls.changes), X, Y, rows, weights=weights)


def _largest_loss(pools: Sequence[Pool | None]) -> float:
    losses = [float(pool.losses.max(initial=0)) for pool in pools if pool is not None]
    return max(losses, default=0.0) or 1.0


def _largest_size(pools: Sequence[Pool | None]) -> float:
    sizes = [float(pool.sizes.max(initial=0)) for pool in pools if pool is not None]
    return max(sizes, default=0.0) or 1.0


def _trace(block: Block, w: Vector, mu: float, step: float, rng: np.random.Generator) -> float:
    """The trace of the Hessian of the sum of the values, by Hutchinson's estimate."""
    traces = []
    for _ in range(DIRECTIONS):
        signs = rng.choice([-1.0, 1.0], block.size)
        ahead, behind = (
            soft_outputs(block, w + s * signs, mu).joint_feature_difference for s in (step, -step)
        )
        traces.append(float(signs @ (behind - ahead)) / (2 * step))
    return float(np.mean(traces))
