"""The checks of soft oracles and of gradients in x, by finite differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.special import logsumexp

from structsvm.check.calls import as_numbers
from structsvm.check.equality import TOLERANCE, norm
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.points import Pool, Visit
from structsvm.contract.capabilities import defines
from structsvm.contract.soft_oracle import SoftOutput
from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.task.call import unpacked

#: Points at which it is checked: random ones, one of them large.
POINTS = (2, 4, 6, 8, 9)
#: Temperatures mu, relative to the largest loss.
TEMPERATURES = (0.2, 1.0)
#: Step of finite differences, relative to mu: so large that single precision is enough.
STEP = 0.02
#: Error of a finite difference that is accepted, relative to the size of the differences.
SLOPE_TOLERANCE = 1e-3
#: Size of joint features, relative to mu, below which no w changes the value.
SMALLEST = 1e-300
#: Relative rounding error of the values that finite differences are made of.
PRECISION = 1e-6


def soft_oracle_is_consistent(evidence: Evidence) -> Iterator[Finding]:
    """Value, difference and loss agree with each other, with the slack and with outputs(x)."""
    calls = evidence.calls
    for point in evidence.progress.trials(places_of_points(evidence)):
        visit = evidence.visits[point]
        for i, pool in enumerate(evidence.pools[point]):
            if pool is None or not len(pool.losses):
                continue
            for temperature in TEMPERATURES:
                mu = temperature * (float(pool.losses.max()) or 1.0)
                try:
                    soft = Soft(evidence, i, visit.labels[i], visit.w, mu)
                    message = _inconsistency(evidence, soft, pool, point, i)
                except ProblemError as error:
                    yield calls.finding("soft_oracle", error, i)
                    break
                if message:
                    yield Finding("soft_oracle", calls.name(i), message)
                    break


def places_of_points(evidence: Evidence) -> list[int]:
    """The points visited at which soft oracles are checked, which are not 0."""
    return [k for k in POINTS if k < len(evidence.visits) and evidence.visits[k].w.any()]


def _numbers(
    method: str, names: Iterable[str], parts: Iterable[Any], shapes: Iterable[tuple[int, ...]]
) -> list[Vector]:
    """Return the named parts of what a method returned as arrays of these shapes."""
    return [
        as_numbers(f"{method} ({name})", part, shape)
        for name, part, shape in zip(names, parts, shapes, strict=True)
    ]


class Soft:
    """The soft oracle's values for one example, and calls nearby for finite differences.

    A ProblemError where one of the calls fails.
    """

    def __init__(self, evidence: Evidence, i: int, y: Any, w: Vector, mu: float) -> None:
        self._arguments = (evidence, i, y)
        self.w, self.mu = w, mu
        self.value, self.difference, self.loss = self.at(w, mu)

    def at(self, w: Vector, mu: float) -> tuple[float, Vector, float]:
        """Return the three values at w and mu."""
        evidence, i, y = self._arguments
        calls, method = evidence.calls, "soft_oracle"
        found = calls.call(method, i, calls.x[i], y, w, mu)
        parts = unpacked(found, 3, method, "SoftOutput")
        shapes = ((), (len(w),), ())
        value, difference, loss = _numbers(method, SoftOutput._fields, parts, shapes)
        return value.item(), difference, loss.item()

    def slope_along(self, direction: Vector, step: float) -> float:
        """Return the derivative of the value along a direction, by central differences."""
        ahead, behind = (self.at(self.w + s * direction, self.mu)[0] for s in (step, -step))
        return (ahead - behind) / (2 * step)

    def entropy(self) -> float:
        """Return the entropy of the distribution: the derivative of the value in mu."""
        step = STEP * self.mu
        ahead, behind = (self.at(self.w, self.mu + s)[0] for s in (step, -step))
        return (ahead - behind) / (2 * step)


def _inconsistency(evidence: Evidence, soft: Soft, pool: Pool, point: int, i: int) -> str:
    """Return what is wrong with the values for example i at a point, or ''."""
    products, w, mu = pool.products[:, point], soft.w, soft.mu
    scale = mu + float((pool.losses + np.linalg.norm(w) * pool.sizes).max())
    again = soft.at(w, mu)[0]
    if abs(again - soft.value) > TOLERANCE * scale:
        return (
            f"two calls with the same arguments differ: value is {soft.value:.6g} and {again:.6g}; "
            "it must depend on its arguments alone"
        )
    hardest = float((pool.losses - products)[~pool.outside].max(initial=0))
    if soft.value < hardest - TOLERANCE * scale:
        return (
            f"value {soft.value:.6g} is below {hardest:.6g}, the largest s(y') known; it must be "
            "mu * log sum exp(s / mu) over all outputs, the true one included"
        )
    direction = evidence.rng.standard_normal(len(w))
    direction /= np.linalg.norm(direction)
    size = float(pool.sizes.max())
    # The value is smooth on the scale at which scores change by mu, if any finite w changes them.
    step = STEP * mu / (size if size > SMALLEST * mu else 1.0)
    slope, expected = soft.slope_along(direction, step), -float(soft.difference @ direction)
    if abs(slope - expected) > SLOPE_TOLERANCE * size + PRECISION * scale / step:
        return (
            "joint_feature_difference is not minus the gradient of value: along a random direction "
            f"the slope of value is {slope:.6g}, but joint_feature_difference gives {expected:.6g}"
        )
    # log-sum-exp is the expected score plus mu times the entropy; solve that for the loss.
    implied = soft.value + float(soft.difference @ w) - mu * soft.entropy()
    if abs(implied - soft.loss) > SLOPE_TOLERANCE * scale:
        return (
            f"loss is {soft.loss:.6g}, but value and joint_feature_difference imply {implied:.6g} "
            "(value = loss - <w, joint_feature_difference> + mu * entropy)"
        )
    if evidence.enumerated[i]:
        rows = pool.enumerated(evidence.enumerated[i])
        exact = float(mu * logsumexp((pool.losses - products)[rows] / mu))
        if abs(soft.value - exact) > TOLERANCE * scale:
            return f"value is {soft.value:.6g}, but the sum over outputs(x) gives {exact:.6g}"
    return ""


def soft_input_gradients_are_slopes(evidence: Evidence) -> Iterator[Finding]:
    """Along a random direction in x, soft_input_gradient agrees with differences of the value."""
    if not defines(evidence.problem, "soft_oracle"):
        evidence.notes.append(
            "soft_oracle is not offered, so soft_input_gradient was compared with nothing; offer it"
        )
        return
    calls = evidence.calls
    errors = len(calls.errors)
    for point in evidence.progress.trials(places_of_points(evidence)):
        for i, pool in enumerate(evidence.pools[point]):
            if pool is not None and has_gradient(calls.x[i]):
                yield from _wrong_slopes(evidence, point, i, pool)
    yield from calls.errors[errors:]


def _wrong_slopes(evidence: Evidence, point: int, i: int, pool: Pool) -> Iterator[Finding]:
    calls, (w, labels, _) = evidence.calls, evidence.visits[point]
    x, y = calls.x[i], labels[i]
    direction = np.random.default_rng(0).normal(size=x.shape)
    direction /= norm(direction)
    size = norm(x) or 1.0
    scores = norm(w) * (float(pool.sizes.max()) or size)

    def slope_of_value(mu: float, step: float) -> float:
        """The derivative of the value along the direction, by central differences."""
        ahead, behind = (
            float(calls.call("soft_oracle", i, x + s * direction, y, w, mu)[0])
            for s in (step, -step)
        )
        return (ahead - behind) / (2 * step)

    for temperature in TEMPERATURES:
        mu = temperature * (float(pool.losses.max()) or 1.0)
        gradient = calls.numbers("soft_input_gradient", i, x.shape, x, y, w, mu)
        if gradient is None:
            return
        # The value is smooth on the scale at which scores change by mu.
        step = STEP * size * mu / max(mu, scores)
        coarse, fine = slope_of_value(mu, step), slope_of_value(mu, step / 2)
        slope, expected = float(np.sum(gradient * direction)), (4 * fine - coarse) / 3
        rounding = PRECISION * (float(pool.losses.max()) + scores + mu) / step
        slopes = abs(slope) + abs(expected)
        if abs(slope - expected) > SLOPE_TOLERANCE * slopes + abs(fine - coarse) + rounding:
            yield Finding(
                "soft_input_gradient",
                calls.name(i),
                f"along a direction in x its slope is {slope:.6g} at mu = {mu:.3g}, but that of "
                f"the soft oracle's value is {expected:.6g}; it must be the expectation of the "
                "gradient of <w, Psi(x, y')> in x, less that of <w, Psi(x, y)>",
            )


#: Points at which gradients of scores are checked: random ones of many sizes.
GRADIENT_POINTS = slice(0, 10, 3)
#: Step of their finite differences, relative to the size of x; and the accepted error, relative to
#: the size of the scores: that is the accuracy of single precision.
GRADIENT_STEP, GRADIENT_TOLERANCE = 1e-2, 1e-4


def input_gradients_are_slopes(evidence: Evidence) -> Iterator[Finding]:
    """Along a random direction in x, input_gradient agrees with differences of the score."""
    calls = evidence.calls
    errors = len(calls.errors)
    sized = [visit for visit in evidence.visits if visit.w.any()]
    for visit in evidence.progress.trials(sized[GRADIENT_POINTS]):
        for i, x in enumerate(calls.x):
            if has_gradient(x) and visit.labels[i] is not None:
                yield from _wrong_slope(evidence, visit, i, x)
    yield from calls.errors[errors:]


def has_gradient(x: Any) -> bool:
    """Whether an input is an array of floats: only tensors become arrays in a layer."""
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def _wrong_slope(evidence: Evidence, visit: Visit, i: int, x: Any) -> Iterator[Finding]:
    calls, y, w = evidence.calls, visit.labels[i], visit.w
    gradient = calls.numbers("input_gradient", i, x.shape, x, y, w)
    step = np.random.default_rng(0).normal(size=x.shape)
    step *= GRADIENT_STEP * (norm(x) or 1.0) / norm(step)
    ends = [calls.numbers("joint_feature", i, (calls.size,), x + s * step, y) for s in (1, -1)]
    if gradient is None or ends[0] is None or ends[1] is None:
        return
    slope, change = float(np.sum(gradient * step)), (ends[0] - ends[1]) / 2
    expected, size = float(change @ w), float(np.abs(change) @ np.abs(w)) + abs(slope)
    if abs(slope - expected) > GRADIENT_TOLERANCE * size:
        yield Finding(
            "input_gradient",
            calls.name(i),
            f"along a direction in x its slope is {slope:.6g}, but the score changes by "
            f"{expected:.6g}; it must be the gradient of <w, Psi(x, y)> in x",
        )
