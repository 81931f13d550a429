"""Checks of soft oracles and of gradients with respect to x, by finite differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp

from structsvm.check.calls import as_numbers
from structsvm.check.equality import TOLERANCE, norm
from structsvm.check.evidence import LAST, SEARCHES, Evidence, Pool, law
from structsvm.check.findings import Finding, attempted
from structsvm.contract.soft_oracle import SoftOutput
from structsvm.data.arrays import Vector
from structsvm.task.call import unpacked

#: Indices of the points at which soft oracles are checked: random points, one of them large.
POINTS = (2, 4, 6, 8, 9)
#: Temperatures mu, relative to the largest loss.
TEMPERATURES = (0.2, 1.0)
#: Step of finite differences of values, relative to mu, and of scores, relative to x. The steps are
#: so large that single precision suffices.
STEP, STEP_OF_SCORES = 0.02, 0.01
#: Accepted error of a finite difference, relative to the size of the differences.
SLOPE_TOLERANCE = 1e-3
#: Size of joint features, relative to mu, below which no w changes the value.
SMALLEST = 1e-300
#: Relative rounding error of the values in finite differences.
PRECISION = 1e-6


def slope_of(value: Callable[[float], Any], step: float) -> float:
    """Return the derivative of a function at 0, by central differences."""
    return float(value(step) - value(-step)) / (2 * step)


class Soft:
    """The values of the soft oracle for one example.

    The constructor raises a ProblemError if a call fails.
    """

    def __init__(self, evidence: Evidence, i: int, y: Any, w: Vector, mu: float) -> None:
        found = evidence.calls.call("soft_oracle", i, evidence.calls.x[i], y, w, mu)
        parts = unpacked(found, 3, "soft_oracle", "SoftOutput")
        shapes = (), (len(w),), ()
        value, self.difference, loss = (
            as_numbers(f"soft_oracle ({name})", part, shape)
            for name, part, shape in zip(SoftOutput._fields, parts, shapes, strict=True)
        )
        self.value, self.loss = value.item(), loss.item()


@law(SEARCHES, "soft_oracle")
def soft_oracle_is_consistent(evidence: Evidence) -> Iterator[Finding]:
    """The soft oracle's value, gradient and loss agree with each other and with outputs(x)."""
    for point, i, pool in _places(evidence):
        for temperature in TEMPERATURES:
            mu = temperature * (float(pool.losses.max()) or 1.0)
            message, error = attempted(_inconsistency, evidence, pool, point, i, mu)
            if error or message:
                yield evidence.calls.finding("soft_oracle", error or message, i)
                break


def _places(evidence: Evidence) -> Iterator[tuple[int, int, Pool]]:
    """Yield each nonzero w at which soft oracles are checked, with all examples."""
    yield from evidence.progress.trials(
        [(k, i, pool) for k, visit, i, pool in evidence.known() if k in POINTS and visit.w.any()]
    )


def _inconsistency(evidence: Evidence, pool: Pool, point: int, i: int, mu: float) -> str:
    """Return a message if the values for the i-th example at a point are inconsistent, or ''."""
    products, (w, labels, _) = pool.products[:, point], evidence.visits[point]

    def at(w: Vector, mu: float) -> Soft:
        return Soft(evidence, i, labels[i], w, mu)

    scores, soft, again = pool.losses - products, at(w, mu), at(w, mu).value
    scale = mu + float((pool.losses + np.linalg.norm(w) * pool.sizes).max())
    if abs(again - soft.value) > TOLERANCE * scale:
        return (
            f"two calls with the same arguments differ: value is {soft.value:.6g} and {again:.6g}; "
            "it must depend on its arguments alone"
        )
    hardest = float(scores[~pool.outside].max(initial=0))
    if soft.value < hardest - TOLERANCE * scale:
        return (
            f"value {soft.value:.6g} is below {hardest:.6g}, the largest s(y') known; it must be "
            "mu * log sum exp(s / mu) over all outputs, the true one included"
        )
    direction = evidence.rng.standard_normal(len(w))
    direction /= np.linalg.norm(direction)
    size = float(pool.sizes.max())
    # The value is smooth on the scale of w at which scores change by mu, if there is any.
    step = STEP * mu / (size if size > SMALLEST * mu else 1.0)
    slope = slope_of(lambda s: at(w + s * direction, mu).value, step)
    expected = -float(soft.difference @ direction)
    if abs(slope - expected) > SLOPE_TOLERANCE * size + PRECISION * scale / step:
        return (
            "joint_feature_difference is not minus the gradient of value: along a random direction "
            f"the slope of value is {slope:.6g}, but joint_feature_difference gives {expected:.6g}"
        )
    # The value is the expected score plus mu times the entropy; solve this equation for the loss.
    # The entropy is the derivative of the value in mu.
    entropy = slope_of(lambda s: at(w, mu + s).value, STEP * mu)
    implied = soft.value + float(soft.difference @ w) - mu * entropy
    if abs(implied - soft.loss) > SLOPE_TOLERANCE * scale:
        return (
            f"loss is {soft.loss:.6g}, but value and joint_feature_difference imply {implied:.6g} "
            "(value = loss - <w, joint_feature_difference> + mu * entropy)"
        )
    exact = float(mu * logsumexp(scores[pool.listed] / mu)) if pool.listed else soft.value
    if abs(soft.value - exact) > TOLERANCE * scale:
        return f"value is {soft.value:.6g}, but the sum over outputs(x) gives {exact:.6g}"
    return ""


#: The definition of each gradient.
GRADIENTS = {
    "input_gradient": "the gradient of <w, Psi(x, y)> in x",
    "soft_input_gradient": (
        "the expectation of the gradient of <w, Psi(x, y')> in x, less that of <w, Psi(x, y)>"
    ),
}


@law(LAST, *GRADIENTS)
def input_gradients_are_slopes(evidence: Evidence) -> Iterator[Finding]:
    """Along a random direction of x, gradients agree with finite differences of their functions."""
    if evidence.offers("soft_input_gradient") and not evidence.offers("soft_oracle"):
        evidence.notes.append(
            "soft_oracle is not offered, so soft_input_gradient was compared with nothing; offer it"
        )
    for point, i, pool in _places(evidence):
        x: Any = evidence.calls.x[i]
        # Layers pass only arrays of floats.
        if not (isinstance(x, np.ndarray) and x.dtype.kind == "f"):
            continue
        direction = np.random.default_rng(0).normal(size=x.shape)
        direction /= norm(direction)
        for method, given, value, scale, relative in _gradients(evidence, point, i, pool):
            found = as_numbers(method, evidence.calls.call(method, i, x, *given), x.shape)
            slope, step = float(np.sum(found * direction)), relative * (norm(x) or 1.0)
            along = partial(_along, value, x, direction)
            coarse, fine = slope_of(along, step), slope_of(along, step / 2)
            expected, accepted = (4 * fine - coarse) / 3, abs(fine - coarse)
            accepted += SLOPE_TOLERANCE * (abs(slope) + abs(expected)) + PRECISION * scale / step
            if abs(slope - expected) > accepted:
                message = (
                    f"along a direction in x its slope is {slope:.6g}, but values differ as if it "
                    f"were {expected:.6g}; it must be {GRADIENTS[method]}"
                )
                yield evidence.calls.finding(method, message, i)


def _along(value: Callable[[Any], Any], x: Vector, direction: Any, s: float) -> Any:
    return value(x + s * direction)


def _gradients(evidence: Evidence, point: int, i: int, pool: Pool) -> Iterator[tuple[Any, ...]]:
    """Yield the gradients that the problem defines, for the i-th example at a recorded w.

    Each tuple holds the name of a gradient method, its arguments after the input x, and the
    function of x that it differentiates. Each tuple ends with two numbers for finite differences:
    the size of the function's summands, and the step relative to the size of x.
    """
    calls, (w, labels, _) = evidence.calls, evidence.visits[point]
    y, loss, scores = labels[i], float(pool.losses.max()), norm(w) * float(pool.sizes.max())

    def score(x: Any) -> float:
        method = "joint_feature"
        return float(as_numbers(method, calls.call(method, i, x, y), (calls.size,)) @ w)

    def soft_value(mu: float, x: Any) -> Any:
        return calls.call("soft_oracle", i, x, y, w, mu)[0]

    if evidence.offers("input_gradient"):
        yield "input_gradient", (y, w), score, scores, STEP_OF_SCORES
    if evidence.offers("soft_input_gradient") and evidence.offers("soft_oracle"):
        for mu in (temperature * (loss or 1.0) for temperature in TEMPERATURES):
            # The value is smooth on the scale at which scores change by mu.
            value, step = partial(soft_value, mu), STEP * mu / max(mu, scores)
            yield "soft_input_gradient", (y, w, mu), value, loss + scores + mu, step
