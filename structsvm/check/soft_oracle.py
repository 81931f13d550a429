"""The checks of soft oracles: value, difference and loss belong to one distribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.special import logsumexp

from structsvm.check.batch import Batch, batches, unequal_weights
from structsvm.check.calls import as_numbers
from structsvm.check.closeness import TOLERANCE, close
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.pools import Pool
from structsvm.contract.capabilities import offers, oracle_is_exact
from structsvm.contract.soft_oracle import SoftOutput, SoftSum
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
#: The forms of the soft oracle.
FORMS = ("soft_oracle", "sum_soft_oracle")
#: The parts of a sum that every sum has.
FIELDS = SoftSum._fields[:3]


def soft_oracle_is_consistent(evidence: Evidence) -> Iterator[Finding]:
    """Value, difference and loss agree with each other, with the slack and with outputs(x)."""
    calls = evidence.calls
    # The form that is called for one example.
    method = next(form for form in FORMS if offers(evidence.problem, form))
    for point in evidence.progress.trials(places_of_points(evidence)):
        visit = evidence.visits[point]
        for i, pool in enumerate(evidence.pools[point]):
            if pool is None or not len(pool.losses):
                continue
            for temperature in TEMPERATURES:
                mu = temperature * (float(pool.losses.max()) or 1.0)
                try:
                    soft = _Soft(evidence, i, visit.labels[i], visit.w, mu)
                    message = _inconsistency(evidence, soft, pool, point, i)
                except ProblemError as error:
                    yield calls.finding(method, error, i)
                    break
                if message:
                    yield Finding(method, calls.name(i), message)
                    break


def places_of_points(evidence: Evidence) -> list[int]:
    """The points visited at which soft oracles are checked, which are not 0."""
    return [k for k in POINTS if k < len(evidence.visits) and evidence.visits[k].w.any()]


def soft_sums_agree(evidence: Evidence) -> Iterator[Finding]:
    """sum_soft_oracle returns the sums over the examples; its slacks match the oracle's."""
    for number, batch in enumerate(batches(evidence)):
        measured = batch.measures(batch.outputs)
        if measured is None:
            continue
        # Batches of four kinds follow each other.
        mu = TEMPERATURES[number // 4 % 2] * (float(measured[0].max()) or 1.0)
        message = _wrong_sum(batch, mu, measured)
        if message:
            yield Finding("sum_soft_oracle", None, message)
            return


def _wrong_sum(batch: Batch, mu: float, measured: tuple[Vector, Vector]) -> str:
    """Return what is wrong with the sums over a batch, or ''.

    ``measured`` are the losses and differences of the separation oracle's outputs.
    """
    evidence, w, (losses, rows) = batch.evidence, batch.visit.w, measured
    weights = unequal_weights(evidence.rng, len(rows))
    found, slacks = _sums(evidence, batch.X, batch.labels, w, mu, weights)
    with suppress(ProblemError):  # soft_oracle_is_consistent reports it
        rows_of, labels = batch.rows.tolist(), batch.visit.labels
        made = {i: _Soft(evidence, i, labels[i], w, mu) for i in set(rows_of)}
        single = [made[i] for i in rows_of]
        expected = (
            np.array([soft.value for soft in single]),
            weights @ [soft.difference for soft in single],
            weights @ [soft.loss for soft in single],
        )
        size, total = batch.terms, np.abs(weights).sum()
        sizes = (
            size,
            total * max(batch.size(k) for k in range(len(rows))),
            total * evidence.largest_loss,
        )
        for name, ours, theirs, size in zip(FIELDS, found, expected, sizes, strict=True):
            if not close(ours, theirs, TOLERANCE, size):
                weighted = "" if name == "values" else ", each times its weight,"
                error = _error(ours, theirs)
                return f"its {name} differ from those of single examples{weighted} by {error:.3g}"
        largest = np.maximum(losses - rows @ w, 0)
        exact = slacks is not None and oracle_is_exact(evidence.problem)
        if exact and not close(slacks, largest, TOLERANCE, batch.terms):
            error = _error(slacks, largest)
            return f"its slacks differ from those of the separation oracle by {error:.3g}"
    return ""


def _sums(evidence: Evidence, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> Any:
    """Return the fields of what sum_soft_oracle returns, checked; the slacks apart."""
    method, n = "sum_soft_oracle", len(weights)
    found = evidence.calls.batch(method, X, Y, w, mu, weights)
    *parts, slacks = unpacked(found, 4, method, "SoftSum", "")
    numbers = _numbers(method, FIELDS, parts, ((n,), (len(w),), ()))
    if slacks is not None:
        slacks = as_numbers(f"{method} (slacks)", slacks, (n,))
    return numbers, slacks


def _numbers(
    method: str, names: Iterable[str], parts: Iterable[Any], shapes: Iterable[tuple[int, ...]]
) -> list[Vector]:
    """Return the named parts of what a method returned as arrays of these shapes."""
    return [
        as_numbers(f"{method} ({name})", part, shape)
        for name, part, shape in zip(names, parts, shapes, strict=True)
    ]


def _error(ours: Vector, theirs: Vector) -> float:
    return float(np.abs(ours - theirs).max())


class _Soft:
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
        if offers(evidence.problem, method):
            found = calls.call(method, i, calls.x[i], y, w, mu)
            parts = unpacked(found, 3, method, "SoftOutput", "")
            numbers = _numbers(method, SoftOutput._fields, parts, ((), (len(w),), ()))
        else:
            X, Y = calls.prepared([i])
            Y = [y] if evidence.self_labelled else Y
            numbers, _ = _sums(evidence, X, Y, w, mu, np.ones(1))
        value, difference, loss = numbers
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


def _inconsistency(evidence: Evidence, soft: _Soft, pool: Pool, point: int, i: int) -> str:
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
