"""The check of soft_input_gradient: it is the slope of the soft oracle's value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.check.closeness import norm
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.input_gradients import has_gradient
from structsvm.check.pools import Pool
from structsvm.check.soft_oracle import (
    PRECISION,
    SLOPE_TOLERANCE,
    STEP,
    TEMPERATURES,
    places_of_points,
)
from structsvm.contract.capabilities import offers


def soft_input_gradients_are_slopes(evidence: Evidence) -> Iterator[Finding]:
    """Along a random direction in x, soft_input_gradient agrees with differences of the value."""
    if not offers(evidence.problem, "soft_oracle"):
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
