"""The checks of a soft oracle: are its numbers those of one distribution over the outputs?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import logsumexp

from structsvm.check.batch import Batch, batches
from structsvm.check.calls import Finding, as_numbers, describe, short
from structsvm.check.evidence import Evidence, Pool
from structsvm.check.measures import TOLERANCE, close
from structsvm.problem import Vector, offers, oracle_is_exact

#: Points at which it is checked, and temperatures relative to the losses.
POINTS, TEMPERATURES = 5, (0.2, 1.0)
#: Steps of finite differences, relative to mu: so large that single precision is enough.
STEP = 0.02
#: Of finite differences, relative to the values; and of the values themselves.
SLOPE_TOLERANCE, PRECISION = 1e-3, 1e-6


def soft_oracle_smooths_the_slack(evidence: Evidence) -> Iterator[Finding]:
    """Value, difference and loss agree with each other, with the slack and with outputs(x)."""
    method = _form(evidence)
    if not method:
        return
    sized = [k for k, visit in enumerate(evidence.visits) if visit.w.any()]
    for point in sized[:POINTS]:
        visit = evidence.visits[point]
        for i, pool in enumerate(evidence.pools[point]):
            if pool is None or not len(pool.losses):
                continue
            for temperature in TEMPERATURES:
                mu = temperature * (float(pool.losses.max()) or 1.0)
                soft = _Soft(evidence, i, visit.labels[i], visit.w, mu)
                message = soft.fault or _fault(evidence, soft, pool, point, i)
                if message:
                    yield Finding(method, evidence.calls.name(i), message)
                    break


def soft_sums_agree(evidence: Evidence) -> Iterator[Finding]:
    """sum_soft_oracle says of all examples what is said of each; its slacks are true."""
    if not offers(evidence.problem, "sum_soft_oracle"):
        return
    for batch in batches(evidence):
        measured = batch.measures(batch.outputs)
        if measured is None:
            continue
        mu = float(measured[0].max()) or 1.0
        message = _sum_fault(batch, mu, measured)
        if message:
            yield Finding("sum_soft_oracle", None, message)
            return


def _form(evidence: Evidence) -> str:
    """The form of the soft oracle that one example is given to."""
    forms = ("soft_oracle", "sum_soft_oracle")
    return next((form for form in forms if offers(evidence.problem, form)), "")


def _sum_fault(batch: Batch, mu: float, measured: tuple[Vector, Vector]) -> str:
    """What is wrong with the sums over a batch, of whose outputs loss and difference are given."""
    evidence, w, (losses, rows) = batch.evidence, batch.visit.w, measured
    total, problem = batch.call("sum_soft_oracle", batch.X, batch.labels, w, mu)
    if problem:
        return problem
    try:
        values, difference, loss, slacks = total
    except (TypeError, ValueError):
        return f"it returned {short(total)}; expected a structsvm.SoftSum"
    found = []
    for name, part, shape in (
        ("values", values, (len(rows),)),
        ("joint_feature_difference", difference, (len(w),)),
        ("loss", loss, ()),
        ("slacks", losses if slacks is None else slacks, (len(rows),)),
    ):
        array, problem = as_numbers(part, shape)
        if problem:
            return f"its {name}: {problem}"
        found.append(array)
    single = [_Soft(evidence, int(i), batch.visit.labels[i], w, mu) for i in batch.rows]
    if any(soft.fault for soft in single):
        return ""  # it is reported where one example is looked at
    expected = (
        np.array([soft.value for soft in single]),
        np.sum([soft.difference for soft in single], axis=0),
        np.sum([soft.loss for soft in single]),
    )
    for name, ours, theirs in zip(("values", "joint_feature_difference", "loss"), found, expected,
                                  strict=False):  # fmt: skip
        if not close(ours, theirs, TOLERANCE):
            return f"its {name} differ from those of single examples by {_error(ours, theirs):.3g}"
    largest = losses - rows @ w
    exact = oracle_is_exact(evidence.problem)
    if slacks is not None and exact and not close(np.maximum(found[3], 0), largest, TOLERANCE):
        error = _error(np.maximum(found[3], 0), largest)
        return f"its slacks differ from those of the separation oracle by {error:.3g}"
    return ""


def _error(ours: Vector, theirs: Vector) -> float:
    return float(np.abs(ours - theirs).max())


class _Soft:
    """One call, and calls nearby for slopes."""

    def __init__(self, evidence: Evidence, i: int, y: Any, w: Vector, mu: float) -> None:
        self._arguments = (evidence, i, y)
        self.w, self.mu, self.fault = w, mu, ""
        self.value, self.difference, self.loss = self.at(w, mu)

    def at(self, w: Vector, mu: float) -> tuple[float, Vector, float]:
        """The three numbers; NaN, and the fault noted, where they cannot be had."""
        evidence, i, y = self._arguments
        single = offers(evidence.problem, "soft_oracle")
        shapes: tuple[tuple[int, ...], ...] = (() if single else (1,), (len(w),), ())
        try:
            if single:
                found = evidence.problem.soft_oracle(evidence.calls.x[i], y, w.copy(), mu)
            else:
                X, Y = evidence.calls.examples([i])
                Y = [y] if evidence.self_labelled else Y
                found = evidence.problem.sum_soft_oracle(X, Y, w.copy(), mu)
        except Exception as error:
            self.fault = describe(error)
            return np.nan, np.full(len(w), np.nan), np.nan
        expected = "a SoftOutput" if single else "a SoftSum"
        if not isinstance(found, (tuple, list)) or len(found) not in (3, 4):
            self.fault = f"it must return {expected}; it returned {short(found)}"
            return np.nan, np.full(len(w), np.nan), np.nan
        numbers = []
        names = ("value" if single else "values", "joint_feature_difference", "loss")
        for name, part, shape in zip(names, found[:3], shapes, strict=True):
            array, problem = as_numbers(part, shape)
            if problem:
                self.fault = f"its {name}: {problem}"
                array = np.full(shape, np.nan)
            numbers.append(array)
        return numbers[0].item(), numbers[1], float(numbers[2])

    def slope_along(self, direction: Vector, step: float) -> float:
        ahead, behind = (self.at(self.w + s * direction, self.mu)[0] for s in (step, -step))
        return (ahead - behind) / (2 * step)

    def entropy(self) -> float:
        """The derivative of the value in mu."""
        step = STEP * self.mu
        ahead, behind = (self.at(self.w, self.mu + s)[0] for s in (step, -step))
        return (ahead - behind) / (2 * step)


def _fault(evidence: Evidence, soft: _Soft, pool: Pool, point: int, i: int) -> str:
    products, w, mu = pool.products[:, point], soft.w, soft.mu
    scale = 1 + float((pool.losses + np.linalg.norm(w) * pool.sizes).max())
    hardest = float((pool.losses - products).max())
    if soft.value < hardest - TOLERANCE * scale:
        return (
            f"value {soft.value:.6g} is below {hardest:.6g}, the largest s(y') known; it must be "
            "mu * log sum exp(s / mu), the truth among the outputs"
        )
    direction = evidence.rng.standard_normal(len(w))
    direction /= np.linalg.norm(direction)
    size = float(pool.sizes.max()) or 1.0
    step = STEP * mu / size
    slope, expected = soft.slope_along(direction, step), -float(soft.difference @ direction)
    if abs(slope - expected) > SLOPE_TOLERANCE * size + PRECISION * scale / step:
        return (
            "joint_feature_difference is not minus the gradient of value: along a random direction "
            f"value changes by {slope:.6g}, and by it by {expected:.6g}"
        )
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
